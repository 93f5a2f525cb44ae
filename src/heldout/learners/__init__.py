"""Learners: named models, their preparation, and cross-validation without refitting."""
