"""The table of predictions: roles, reading, checks, and the design that travels with it."""
