"""Curves: pure functions of tallies that give points with their thresholds."""
