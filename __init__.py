"""sekisho: race games with choices - rules, CPU players, tournaments."""

__version__ = "0.1.0"
