"""Small statistics of rows that add: confusion counts, score counts, loss moments, error moments."""
