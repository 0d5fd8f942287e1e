"""Learning from searches of alpha-beta, for Quoridor with two players: see `learning`."""
