"""``python -m heldout`` is the command line."""

from __future__ import annotations

import sys

from heldout.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
