"""Matches between CPU players, and what their results say about strength."""
