"""Benchmarks: heldout and its peers on the same data in one process run, ratios printed."""
