"""What other programs speak to: the text protocol of game referees on stdin and stdout."""
