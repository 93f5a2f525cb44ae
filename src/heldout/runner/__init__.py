"""The runner: models fitted and judged along a procedure, resumable at any moment."""
