"""Evaluations: data and models in, honest out-of-fold results out."""
