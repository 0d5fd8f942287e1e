"""Exact solutions: what games come to with best play, or by luck alone, without sampling."""
