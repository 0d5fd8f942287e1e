"""Searches: players that look ahead, written once for all games."""
