"""Slow, obvious rule books that the compiled kernels are compared with."""
