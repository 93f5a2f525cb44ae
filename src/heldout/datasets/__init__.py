"""Data sets: features and a target, read, typed and fingerprinted."""
