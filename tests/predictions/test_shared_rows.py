"""Models of which one was judged on some of the other's rows: what is said and can be done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heldout.comparison.compare import compare
from heldout.core.errors import InputError
from heldout.predictions.aligned import align
from heldout.predictions.table import Predictions
from tests.cli.running import call
from tests.comparison.models import binary

IDS = np.arange(60)


def pair(kept: Any = slice(0, 40)) -> tuple[Predictions, Predictions]:
    """Two models, the second judged on some of the rows of the first."""
    whole = binary("a", 1.0, seed=1, rows=60, ids=IDS)
    other = replace(binary("b", 0.5, seed=2, rows=60, ids=IDS), truth=whole.truth)
    return whole, other.take(np.arange(60)[kept])


def test_how_many_rows_both_judged_is_said_with_what_can_be_done() -> None:
    with pytest.raises(InputError, match="different rows") as caught:
        compare(*pair(), measures="accuracy")
    assert "20 ids of 'a' are not in 'b': 40, 41" in str(caught.value)
    assert "Both scored 40 of 60 rows." in str(caught.value)
    assert str(caught.value).endswith("or compare these alone (shared=True)")
    with pytest.raises(InputError, match="40 ids of 'a' and 'b' are the same") as caught:
        compare(*pair(), measures="accuracy", unpaired=True)
    assert "shared=True instead of unpaired=True" in str(caught.value)
    assert "judged on the same rows" not in str(caught.value)
    forced = compare(*pair(), measures="accuracy", unpaired=True, force=True)
    assert any("judged partly on the same rows" in note for note in forced.notes)


def test_shared_rows_are_those_that_both_judged() -> None:
    whole, part = pair()
    made = compare(whole, part, measures="accuracy", shared=True)["accuracy"]
    plain = compare(whole.take(np.arange(40)), part, measures="accuracy")["accuracy"]
    assert (made.value, made.p_value) == (plain.value, plain.p_value)
    note = align(pair(), shared=True).note
    assert note.endswith("only rows that all models scored are compared; left out: 20 of 'a'")
    assert align([whole, whole], shared=True).note == "rows are matched by id"


def test_what_cannot_be_shared_is_refused() -> None:
    whole, part = pair()
    with pytest.raises(InputError, match="no row was scored by all models"):
        align([whole.take(np.arange(40, 60)), part], shared=True)
    with pytest.raises(InputError, match="model 'b' has no id"):
        align([whole, replace(part, identifier=None)], shared=True)
    with pytest.raises(InputError, match="give one"):
        align([whole, part], shared=True, unpaired=True)


def test_few_or_other_rows_may_be_unpaired_and_that_is_offered() -> None:
    whole, part = pair(slice(50, 60))
    few = replace(part, identifier=np.concatenate([IDS[50:53], np.arange(100, 107)]))
    with pytest.raises(InputError, match=r"\(shared=True\), or .* \(unpaired=True\)"):
        align([whole, few])
    # the same numbers with another truth count other rows
    with pytest.raises(InputError, match=r"or say unpaired=True$"):
        align([whole, replace(part, truth=1 - part.truth)])


def test_the_command_line_keeps_shared_rows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    for name, rows in (("a", 60), ("b", 40)):
        lines = [
            f"{i},{i % 2},{np.clip(i % 2 * 0.4 + rng.normal(0.3, 0.2), 0, 1):.3f}"
            for i in range(rows)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y,p", *lines]) + "\n")
    files = ("compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--measure", "auc")
    assert "Both scored 40 of 60 rows." in call(capsys, *files).err
    done = call(capsys, *files, "--shared")
    assert done.code == 0, done.err
    assert "2 models, one test set, 40 rows" in done.out
    assert "K14" not in done.out + done.err
