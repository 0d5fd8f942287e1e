"""What several tests share: ways to play, and a game that is defined outside the package."""
