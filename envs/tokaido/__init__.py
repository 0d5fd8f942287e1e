"""Tokaido sugoroku: two dice, one of the two numbers, three forks and eleven kinds of events; 2 to 6 players."""
