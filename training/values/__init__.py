"""Value learning for Tokaido: one network for tables of 2 to 6 players, see `learning`."""
