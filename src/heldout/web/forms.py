"""Forms made of the options that commands declare, and the command lines that they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.specs import split_list
from heldout.learners.named import MODELS
from heldout.learners.parameters import parse_model
from heldout.predictions.roles import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from starlette.datastructures import FormData

    from heldout.core.options import Option

#: what stands first; the rest is behind "More"
USUAL = ("truth", "predicted", "score", "positive", "group", "target", "procedure", "model")
#: what a select sends where no column is to play the role
NO_COLUMN = "none"
#: characters of a value that is typed
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Field:
    """An option as a field of a form."""

    option: Option
    #: ``column``, ``choice``, ``switch`` or ``text``
    kind: str
    #: the numbers of the columns, or the text, that it shows at first
    values: Sequence[str] = ()
    #: whether it can be said that no column plays the role that is guessed
    is_optional: bool = False

    @property
    def title(self) -> str:
        """What it is called on the page."""
        return self.option.name.replace("_", " ").capitalize()

    @property
    def is_usual(self) -> bool:
        """Whether most readers look at it."""
        return self.option.name in USUAL


def fields_of(
    options: Sequence[Option],
    columns: Sequence[str],
    guesses: Mapping[str, str],
    sent: Mapping[str, Sequence[str]],
) -> Iterator[Field]:
    """The fields of some options, as they were sent last, or else as they are guessed.

    Columns are chosen by their numbers, since their names may be anything.
    """
    for option in options:
        kind, name = _kind(option), option.name
        values = [str(columns.index(guesses[name]))] if guesses.get(name) in columns else []
        is_optional = bool(values) and name in ROLES and ROLES[name].is_optional
        yield Field(option, kind, sent.get(name, ()) if sent else values, is_optional)


def _kind(option: Option) -> str:
    if option.is_switch:
        return "switch"
    return "choice" if option.choices else "column" if option.metavar == "COLUMN" else "text"


def arguments_of(
    options: Sequence[Option], columns: Sequence[str], form: FormData
) -> Iterator[str]:
    """What a form says, as arguments of a command; what is no option of it is not looked at."""
    for option in options:
        kind = _kind(option)
        for value in form.getlist(option.name):
            text = _text(value)
            if not text:
                continue
            if kind == "switch":
                yield option.flag
            elif kind == "column":
                yield f"{option.flag}={_column(text, columns)}"
            else:
                yield f"{option.flag}={text}"


def _column(text: str, columns: Sequence[str]) -> str:
    if text == NO_COLUMN:
        return ""
    if not text.isdecimal() or len(text) > 6 or int(text) >= len(columns):
        raise InputError("the file has no such column")
    return columns[int(text)]


def _text(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > LONGEST or "\0" in text:
        raise InputError(f"a value may have {LONGEST:,} characters")
    return text


def models_of(form: FormData) -> str:
    """The models that are asked for; those that heldout knows by name and no others.

    A page must not have code imported: what stands behind ``package.module:name`` is refused.
    """
    known = {name for model in MODELS for name in (model.name, *model.aliases)}
    text = ",".join(filter(None, map(_text, [*form.getlist("models"), form.get("other_models")])))
    # read as the command will read it
    names = [parse_model(model)[0] for model in split_list(text)]
    if not names:
        raise InputError("choose a model")
    for name in names:
        if name not in known:
            raise InputError(f"no model is named {name!r}{did_you_mean(name, known)}")
    return text
