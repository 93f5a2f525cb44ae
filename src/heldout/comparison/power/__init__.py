"""What a comparison could show: the noise of its design, and what a wanted difference needs."""
