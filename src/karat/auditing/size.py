"""Which data are too large for a costly check inside of another command."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.auditing.material import Material

__all__ = ["too_large"]


def too_large(material: Material) -> str:
    """Why a check that goes through all values is left out, or nothing."""
    if material.most_values is None:
        return ""
    found = sum(
        len(data) * len(data.features)
        for data in (material.train, material.test, material.data)
        if data is not None
    )
    if found <= material.most_values:
        return ""
    return f"left out for size ({found:,} values): karat audit looks at any number"
