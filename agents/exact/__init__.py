"""Exact solutions: solvers, tables of values, the agent that plays by them, and the exact value of any policy."""
