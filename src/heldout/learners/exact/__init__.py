"""Cross-validation without refitting: all folds' predictions from one fit, equal to refitting."""
