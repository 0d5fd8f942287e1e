"""Alpha-beta search for Quoridor, compiled: see `agent`."""
