"""Quoridor: move the pawn or place a fence, never cutting anyone off; 2 or 4 players, boards of 3x3 to 9x9."""
