"""Comparison: whether a difference between models is more than noise, by the design."""
