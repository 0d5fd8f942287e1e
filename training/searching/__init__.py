"""Learning from searches, for Quoridor with two players and with four: see `learning`."""
