"""Small statistics of rows that add: confusion counts, score counts, moments of losses."""
