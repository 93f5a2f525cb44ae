"""Results as something to read: terminal, JSON, CSV, Markdown, LaTeX; drawing computes nothing."""
