"""The glue: predictions, an engine and measures become results, a long table."""
