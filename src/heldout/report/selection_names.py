"""Settings as a reader tells them apart: what differs between them, and what they share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout.learners.parameters import shown, spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.selection.settings import Setting

__all__ = ["SettingNames"]

#: numbers with more digits than help a reader
LONG = re.compile(r"\d+\.\d{4,}(?:e[-+]?\d+)?")
ABSENT = ""


@dataclass(frozen=True)
class SettingNames:
    """The parameters in which settings differ, under names as short as they may be."""

    settings: tuple[Setting, ...]

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """The models."""
        return tuple(dict.fromkeys(one.base for one in self.settings))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that differ between settings, in the order of the grid."""
        found: dict[str, dict[str, None]] = {}
        for one in self.settings:
            for name, value in one.parameters.items():
                found.setdefault(name, {})[repr(value)] = None
        return tuple(
            name
            for name, values in found.items()
            if len(values) > 1 or any(name not in one.parameters for one in self.settings)
        )

    @cached_property
    def heads(self) -> dict[str, str]:
        """Parameters without the steps of their pipeline, where that leaves them different."""
        short = [name.rsplit("__", 1)[-1] for name in self.parameters]
        return {
            name: last if short.count(last) == 1 else name
            for name, last in zip(self.parameters, short, strict=True)
        }

    @cached_property
    def shared(self) -> str:
        """The model that all settings are of, with the parameters that they share."""
        if len(self.bases) > 1:
            return f"{len(self.bases)} models"
        first = self.settings[0]
        same = {k: v for k, v in first.parameters.items() if k not in self.parameters}
        return shown(self.bases[0], same) if "[" not in self.bases[0] else self.bases[0]

    @cached_property
    def has_columns(self) -> bool:
        """Whether every setting has every parameter, so that each may be a column."""
        return bool(self.parameters) and all(
            name in one.parameters for one in self.settings for name in self.parameters
        )

    def cells(self, setting: Setting) -> list[str]:
        """The values of the parameters that differ."""
        return [self._texts[name, _key(setting, name)] for name in self.parameters]

    def label(self, setting: Setting) -> str:
        """What differs, in one text."""
        own = [
            f"{self.heads[name]}={self._texts[name, _key(setting, name)]}"
            for name in self.parameters
            if name in setting.parameters
        ]
        lead = setting.base if len(self.bases) > 1 else ""
        return ": ".join(filter(None, (lead, ", ".join(own)))) or setting.name

    def whole(self, setting: Setting) -> str:
        """The full name, with long numbers cut where settings still differ."""
        return self._wholes.get(setting.name, setting.name)

    @cached_property
    def _wholes(self) -> dict[str, str]:
        names = [one.name for one in self.settings]
        return dict(zip(names, _cut(names), strict=True))

    @cached_property
    def _texts(self) -> dict[tuple[str, str], str]:
        """The text of each value of each parameter."""
        made: dict[tuple[str, str], str] = {}
        for name in self.parameters:
            found = {_key(one, name): one.parameters.get(name) for one in self.settings}
            texts = [_text(value) if key else ABSENT for key, value in found.items()]
            made |= {(name, key): text for key, text in zip(found, _cut(texts), strict=True)}
        return made


def _key(setting: Setting, name: str) -> str:
    """What tells values apart: 1 and true are equal in Python. Empty where there is none."""
    return repr(setting.parameters[name]) if name in setting.parameters else ""


def _text(value: Any) -> str:
    return " ".join(spelled(value).split())


def _cut(texts: Sequence[str]) -> list[str]:
    """Texts with long numbers cut to four digits, where that leaves them different."""
    cut = [LONG.sub(lambda found: f"{float(found[0]):.4g}", text) for text in texts]
    return cut if len(set(cut)) == len(set(texts)) else list(texts)
