"""Decisions: where to put the threshold, what it earns, and which model to take."""
