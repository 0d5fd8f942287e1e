"""The command `sekisho`, one file a subcommand."""
