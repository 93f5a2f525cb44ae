"""Measures: one file a family, each measure declared once as a pure function of tallies."""
