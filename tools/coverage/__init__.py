"""How often intervals cover the truth, by simulation: ``python -m tools.coverage``."""

from __future__ import annotations
