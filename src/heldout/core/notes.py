"""Notes and lacks: what is to be known of a value, and why something is not given, as values.

Whoever has to decide something asks for the kind of a note or the reason of a lack, never for
its words; those are made here, once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class Kind(Enum):
    """What a note is about."""

    #: a remark that nothing depends on
    REMARK = auto()
    #: why there is no value
    UNDEFINED = auto()
    #: a model lacks what the measure needs, or failed in every split: the row only says so
    NOT_GIVEN = auto()
    FAILED = auto()
    #: the measure has no estimate of the kind that was asked for
    NO_ESTIMATE = auto()
    #: why there is no interval of a value that exists
    NO_INTERVAL = auto()
    #: a limit lay beyond the range of the measure
    LOW_CUT = auto()
    HIGH_CUT = auto()
    #: the value lies outside of its own interval
    OUTSIDE = auto()
    #: of how many folds, repeats or splits a mean is, and which have no value
    MEAN_OF_FOLDS = auto()
    MEAN_OF_REPEATS = auto()
    UNDEFINED_PARTS = auto()
    #: how many of how many classes have no say; the same of how many folds
    CLASSES_LEFT_OUT = auto()
    CLASSES_OF_PARTS = auto()
    #: of how many of the splits that are due a value is
    SPLITS_LACKING = auto()
    #: how an estimate of the bootstrap or of nested cross-validation is made
    ESTIMATE = auto()
    #: an interval is another one than that of nested cross-validation, which was asked for
    NOT_NESTED = auto()
    #: an interval is of another kind of bootstrap than the one that was asked for
    OTHER_METHOD = auto()
    #: a slice has too few rows to be tested
    TOO_SMALL = auto()


#: the words that every note of a kind begins with
OPENINGS = {
    Kind.UNDEFINED: "undefined: ",
    Kind.NOT_GIVEN: "not given: ",
    Kind.FAILED: "not given: failed in every split: ",
    Kind.NO_ESTIMATE: "no estimate of this kind: ",
    Kind.NO_INTERVAL: "no interval: ",
    Kind.LOW_CUT: "lower limit truncated at ",
    Kind.HIGH_CUT: "upper limit truncated at ",
    Kind.UNDEFINED_PARTS: "undefined in ",
    Kind.TOO_SMALL: "too small to judge: ",
}


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on a value: its kind, its own words, and of how many it is of how many.

    Examples
    --------
    >>> str(Note("too few rows", Kind.NO_INTERVAL))
    'no interval: too few rows'
    """

    words: str
    kind: Kind = Kind.REMARK
    count: int = 0
    of: int = 0

    def __str__(self) -> str:
        return f"{OPENINGS.get(self.kind, '')}{self.words}"


def as_notes(*remarks: str | Note) -> tuple[Note, ...]:
    """Remarks as notes; plain words are remarks that nothing depends on, empty ones are none."""
    return tuple(r if isinstance(r, Note) else Note(r) for r in remarks if r)


def note_text(notes: Iterable[Note], *, without: Collection[Kind] = ()) -> str:
    """Notes in one line, as every output shows them."""
    return "; ".join(str(note) for note in notes if note.kind not in without)


class Noted:
    """What carries notes."""

    __slots__ = ()
    notes: tuple[Note, ...]

    @property
    def note(self) -> str:
        """What is to be known, in words."""
        return note_text(self.notes)

    def has(self, *kinds: Kind) -> bool:
        """Whether there is a note of a kind."""
        return any(note.kind in kinds for note in self.notes)


class Topic(Enum):
    """What a line of notes on data, a run or a comparison is about, where somebody asks."""

    OTHER = auto()
    #: how rows of several models were matched, which the head of a comparison says too
    MATCHING = auto()
    #: what named models are given in place of a column
    NAMED_MODELS = auto()
    #: splits train on rows later than those they test
    MIXED_TIME = auto()
    #: the fits of a model warned
    FIT_WARNING = auto()
    #: models were judged without refitting
    EXACT_PATH = auto()
    #: no class is called positive
    OPEN_POSITIVE = auto()


class Line(str):
    """A note of data, a run or a comparison: its text, and what it is about.

    Examples
    --------
    >>> line = Line("rows are matched by id", Topic.MATCHING)
    >>> line, without([line, "3 rows have no target"], Topic.MATCHING)
    ('rows are matched by id', ('3 rows have no target',))
    """

    topic: Topic

    def __new__(cls, text: str, topic: Topic = Topic.OTHER) -> Line:
        """A text with its topic; what is added to it makes it plain text again."""
        line = super().__new__(cls, text)
        line.topic = topic
        return line


def topic_of(line: str) -> Topic:
    """What a line is about; a plain text is about something that nobody asks for."""
    return line.topic if isinstance(line, Line) else Topic.OTHER


def without(lines: Iterable[str], *topics: Topic) -> tuple[str, ...]:
    """The lines that are about something else."""
    return tuple(line for line in lines if topic_of(line) not in topics)


class Reason(Enum):
    """Why something is not given, where somebody has to know."""

    OTHER = auto()
    #: the procedure: training rows come before test rows, samples with repetition, leave-p-out
    IN_TIME = auto()
    RESAMPLED = auto()
    OVERLAPPING = auto()
    #: the rows: judged in several repeats or folds, ranked by several folds' models
    REPEATED = auto()
    OFTEN = auto()
    RANKED = auto()
    NOT_A_MEAN = auto()
    #: nothing varies: all rows have one loss, all replicates one value, nearly all of them
    SAME_LOSS = auto()
    SAME_VALUE = auto()
    A_POINT = auto()


@dataclass(frozen=True, slots=True)
class Lack:
    """Why something is not given: the reason, and what is said of it."""

    words: str
    reason: Reason = Reason.OTHER

    def __str__(self) -> str:
        return self.words
