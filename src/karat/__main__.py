"""``python -m karat`` is the command line."""

from __future__ import annotations

from karat.cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
