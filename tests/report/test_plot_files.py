"""Charts as files: the kind their name says, always the same bytes, and never half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import heldout
from heldout.assess.scorecard import Scorecard
from heldout.core.errors import InputError
from heldout.report.plots.plot import PLOTS, lack_of, plot
from heldout.report.plots.save import FORMATS

NEEDS_USER = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere"
)


def small() -> Scorecard:
    return heldout.score([1, 0, 1], y_score=[0.9, 0.6, 0.4])


def folded() -> Scorecard:
    return heldout.score([1, 0, 1, 0], y_score=[0.9, 0.6, 0.4, 0.2], folds=[1, 1, 2, 2])


@pytest.mark.parametrize("kind", FORMATS)
def test_file_is_of_the_kind_its_name_says_and_always_the_same(kind: str, tmp_path: Path) -> None:
    paths = [tmp_path / f"{i}.{kind.upper() if i else kind}" for i in range(2)]
    for path in paths:
        plot(small(), "roc", path=path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])
    assert b"Date" not in first
    assert sorted(tmp_path.iterdir()) == sorted(paths)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("roc.gif", r"its name must end in one of \.png, \.svg, \.pdf"),
        ("roc", "its name must end in"),
        ("nowhere/roc.png", "there is no folder"),
    ],
)
def test_path_that_cannot_be_written_is_refused(path: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        plot(small(), "roc", path=tmp_path / path)


@NEEDS_USER
def test_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="permission denied"):
        plot(small(), "roc", path=tmp_path / "roc.png")


def test_all_charts_are_saved_under_their_names(tmp_path: Path) -> None:
    made = plot(folded(), "all", path=tmp_path / "new" / "charts")
    assert set(made) == set(PLOTS)
    assert {path.name for path in (tmp_path / "new" / "charts").iterdir()} == {
        f"{name}.png" for name in PLOTS
    }
    assert set(plot(small(), "all")) == set(PLOTS) - {"roc_average", "folds"}
    ranks = heldout.score([1, 0], y_score=[5.0, 2.0])
    assert "calibration" not in plot(ranks, "all")
    assert "needs probabilities" in lack_of(ranks, "calibration")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot make the folder"):
        plot(small(), "all", path=tmp_path / "file" / "charts")


def test_what_was_there_stays_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "roc.png"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match=r"cannot write .*roc\.png: the disk is full"):
        plot(small(), "roc", path=path)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
