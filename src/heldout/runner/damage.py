"""Splits of a store whose bytes are not as they were written: one line a model names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heldout.runner.blob import Damaged

    #: first split, number of splits, what is wrong
    Loss = tuple[int, int, Damaged]

__all__ = ["damage_note", "ranges"]


def damage_note(path: Path, model: str, lost: Sequence[Loss], *, again: bool) -> str:
    """What is damaged of a model, and, with ``again``, that it is computed once more.

    Examples
    --------
    >>> from pathlib import Path
    >>> from heldout.runner.blob import Damaged
    >>> lost = [(0, 3, Damaged("cut")), (4, 1, Damaged("cut"))]
    >>> damage_note(Path("runs.sqlite"), "nb", lost, again=True)
    'runs.sqlite: splits 1 to 3, 5 of nb are damaged (cut); they are computed again'
    """
    numbers = sorted({first + 1 + i for first, count, _ in lost for i in range(count)})
    is_one = len(numbers) == 1
    what, verb, who = ("split", "is", "it is") if is_one else ("splits", "are", "they are")
    why = ", ".join(dict.fromkeys(str(error) for _, _, error in lost))
    then = f"; {who} computed again" if again else ""
    return f"{path}: {what} {ranges(numbers)} of {model} {verb} damaged ({why}){then}"


def ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in a few words.

    Examples
    --------
    >>> ranges([1, 2, 3, 5, 8, 9])
    '1 to 3, 5, 8, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )
