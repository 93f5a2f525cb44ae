"""The local page of ``heldout serve``: files and runs, judged in a browser."""
