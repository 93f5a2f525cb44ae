"""How far a value may be from the truth: limits by formula and by bootstrap, from tallies."""
