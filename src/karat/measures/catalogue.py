"""All measures: importing this module declares every family, in their order of display."""

from __future__ import annotations

from importlib import import_module

from karat.measures.families import FAMILIES
from karat.measures.registry import Measure, find, known_names, measures

__all__ = ["Measure", "find", "known_names", "measures"]

for modules in FAMILIES.values():
    for module in modules:
        import_module(f"karat.measures.{module}")
