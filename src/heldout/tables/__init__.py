"""Typed tables from files and from Python: read, checked, and their columns given roles."""
