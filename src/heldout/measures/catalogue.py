"""All measures: importing this module declares every family, in their order of display."""

from __future__ import annotations

from importlib import import_module

from heldout.measures.families import FAMILIES
from heldout.measures.registry import REGISTRY, Measure, find, known_names, measures

__all__ = ["Measure", "find", "known_names", "measures"]

MODULES = [f"heldout.measures.{name}" for names in FAMILIES.values() for name in names]


def _place(measure: Measure) -> int:
    module = measure.function.__module__
    return MODULES.index(module) if module in MODULES else len(MODULES)


for module in MODULES:
    import_module(module)
# a family that was imported alone before is not shown first for that
for declared in sorted(REGISTRY.values(), key=_place):
    REGISTRY[declared.name] = REGISTRY.pop(declared.name)
