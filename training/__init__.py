"""Learning by self-play: configurations, games, the learner, and runs that can be stopped and resumed."""
