"""How results are called in what people read: titles of measures, labels, directions."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from heldout.core.specs import brackets_of
from heldout.core.wording import plural
from heldout.measures.registry import measures
from heldout.measures.spec import Request, parse_request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.learners.model import Model
    from heldout.measures.registry import Measure

#: which way is better, as a sign
ARROWS = {"up": "↑", "down": "↓", "target": "→", "none": ""}
AVERAGE_TITLES = {
    "macro": "macro mean",
    "micro": "micro (pooled)",
    "weighted": "weighted mean",
}


def features_text(data: Dataset, models: Iterable[Model]) -> str:
    """How many columns models are given: those that take them as they are may be given more."""
    named, given = data.feature_count, len(data.columns) or data.feature_count
    takes = {model.takes for model in models}
    if "given" not in takes or named == given:
        return plural(named, "feature")
    if takes == {"given"}:
        return plural(given, "feature")
    return f"{plural(named, 'feature')} ({given:,} for models that take columns as they are)"


#: so many classes are named one by one
NAMED = 8

PARENTHESES = re.compile(r" \([^)]*\)")


@lru_cache(maxsize=4096)
def request_of(name: str) -> Request:
    """The request that a result's measure names."""
    return parse_request(name)


def title_of(name: str) -> str:
    """The title of a result's measure, with the average and the parameters in its name."""
    request = request_of(name)
    average = f" ({request.average})" if request.average else ""
    given = brackets_of(name)
    return f"{request.measure.title}{average}{' ' + given if given else ''}"


def short_title(name: str, of: str = "") -> str:
    """The title for the head of a column: short, what its values are of, and the arrow."""
    return f"{bare_title(name)}{', ' if of else ''}{of} {arrow(name)}".strip()


def bare_title(name: str) -> str:
    """The title without what stands in parentheses, unless two measures then look the same."""
    title = title_of(name)
    own = request_of(name).measure.title
    return title if own in ambiguous_titles() else title.replace(own, PARENTHESES.sub("", own))


#: first words of titles that keep their capital within a sentence
PEOPLE = {"Brier", "Fowlkes-Mallows", "Gini", "Hand", "Hosmer-Lemeshow", "Huber", "Jaccard"}
PEOPLE |= {"Kolmogorov-Smirnov", "Matthews", "Poisson", "Tweedie"}


def title_in_sentence(name: str) -> str:
    """The title without what stands in parentheses, as it is written within a sentence.

    Examples
    --------
    >>> [title_in_sentence(name) for name in ("auc", "brier_score", "rmse", "f_score")]
    ['area under the ROC curve', 'Brier score', 'root mean squared error', 'F score']
    """
    title = bare_title(name)
    first = title.split()[0]
    is_name = first in PEOPLE or first.endswith("'s") or not first[1:2].islower()
    return title if is_name else title[:1].lower() + title[1:]


@lru_cache(maxsize=1)
def ambiguous_titles() -> frozenset[str]:
    """The titles that need their parentheses: (sum), (mean)."""
    titles = [measure.title for measure in measures()]
    bare = Counter(PARENTHESES.sub("", title) for title in titles)
    return frozenset(title for title in titles if bare[PARENTHESES.sub("", title)] > 1)


def family_title(measure: Measure) -> str:
    """What a family of measures is called, over all the modules that declare some of it.

    Examples
    --------
    >>> family_title(request_of("calibration_slope").measure)
    'Calibration'
    """
    return measure.family[:1].upper() + measure.family[1:]


def arrow(name: str) -> str:
    """An arrow towards better values, empty where no direction is."""
    return ARROWS[request_of(name).measure.direction]


def label_text(label: object) -> str:
    """A class as text; quoted where it would not be seen or could be taken for another.

    Examples
    --------
    >>> label_text("spam"), label_text(""), label_text(" spam"), label_text(1)
    ('spam', "''", "' spam'", '1')
    """
    text = str(label)
    return repr(text) if text != text.strip() or not text else text


def noun_of(label: str) -> str:
    """What cases of a class are called: a number alone is no word for them.

    Examples
    --------
    >>> noun_of("spam"), noun_of("1")
    ('spam', 'class 1')
    """
    return f"class {label}" if label.lstrip("-")[:1].isdigit() else label


def is_ordered(name: str) -> bool:
    """Whether the order of the classes changes a measure.

    Examples
    --------
    >>> is_ordered("rps"), is_ordered("cohen_kappa[weights=linear]"), is_ordered("cohen_kappa")
    (True, True, False)
    """
    return request_of(name).is_ordered


def order_text(classes: Sequence[Any]) -> str:
    """The classes from the first to the last.

    Examples
    --------
    >>> order_text(["hi", "lo", "mid"])
    'hi < lo < mid'
    """
    names = [label_text(label) for label in classes]
    if len(names) > NAMED:
        names = [*names[: NAMED - 2], "...", names[-1]]
    return " < ".join(names)


def order_note(classes: Sequence[Any], measures: Iterable[str]) -> str:
    """What to say where nobody stated the order of texts, and measures depend on it.

    Numbers have an order; of two classes each is as far from the other either way.
    """
    if len(classes) < 3 or not all(isinstance(label, str) for label in classes):
        return ""
    ordered = [name for name in dict.fromkeys(measures) if is_ordered(name)]
    if not ordered or list(classes) != sorted(classes):
        return ""
    verb = "uses" if len(ordered) == 1 else "use"
    return (
        f"order of the classes: {order_text(classes)} (alphabetical; "
        f"--labels sets another); {', '.join(ordered)} {verb} this order"
    )
