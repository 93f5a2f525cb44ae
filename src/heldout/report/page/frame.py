"""The frame of every page: a heading and sections, with a style and a script bound by hashes."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.core.shown import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = __package__


@cache
def resource(name: str, package: str = HERE) -> str:
    """A file that ships beside the modules of a package."""
    return (files(package) / name).read_text(encoding="utf-8")


@cache
def template(name: str, package: str = HERE) -> Any:
    """A template in which all that is filled in is escaped."""
    from jinja2 import Environment

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(resource(name, package))


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading of its own."""

    anchor: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What all pages of a kind share: style, script, and what they may do."""

    style: str
    script: str
    #: where its forms may be sent, and what it may load: directives of its policy
    allows: str = "form-action 'none'"

    @property
    def policy(self) -> str:
        """What a browser lets the page do: run its own script, use its own style, little else."""
        style, script = _digest(self.style), _digest(self.script)
        return (
            f"default-src 'none'; img-src data:; style-src '{style}'; script-src '{script}'; "
            f"base-uri 'none'; {self.allows}"
        )

    def text(self, title: str, sections: Sequence[Section], **more: Any) -> str:
        """The whole page; ``more`` is what its header holds beside the title."""
        return str(
            template("page.html").render(
                title=title, sections=sections, frame=self, version=__version__, **more
            )
        )


def opened(title: str, body: str, *, is_printed: bool = True) -> str:
    """A part that a reader opens; most are printed open."""
    kind = ' class="printed"' if is_printed else ""
    return f"<details{kind}><summary>{escape(visible(title), quote=True)}</summary>{body}</details>"


def _digest(text: str) -> str:
    """What a browser must find a script or style sheet to be before it uses it."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
