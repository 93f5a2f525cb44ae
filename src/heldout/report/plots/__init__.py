"""Charts of curves as matplotlib figures, one file a kind of chart."""
