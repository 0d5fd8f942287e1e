"""Picture sugoroku: one die, one path, and squares that tell the piece what to do; 2 to 6 players."""
