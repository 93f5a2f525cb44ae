"""Engines reduce predictions to tallies where the rows are; each answers the same questions."""
