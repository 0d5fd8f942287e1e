"""Networks: what they are, how they are kept in files, and the evaluators that run them."""
