"""Outcomes put together: whatever the order and the blocks they come in."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from heldout.learners.outcome import Outcome
from heldout.runner.blob import pack, unpack
from heldout.runner.join import failed, join, nothing
from tests.runner.making import assert_same


def block(first: int, sizes: list[int], scores: bool = True) -> Outcome:
    """An outcome of neighbouring splits whose every value tells its split."""
    count, total = len(sizes), sum(sizes)
    splits = np.arange(first, first + count)
    split_of = np.repeat(np.arange(count, dtype=np.int32), sizes)
    rows = splits[split_of] * 100 + np.arange(total)
    return Outcome(
        splits,
        split_of,
        rows,
        rows % 3,
        np.column_stack((rows, -rows)) / 7 if scores else None,
        "probability" if scores else "",
        train_counts=np.column_stack((splits, splits + 1)),
        train_rows=splits * 2,
        fit_seconds=splits / 10,
    )


def part_of(whole: Outcome, first: int, last: int) -> Outcome:
    """The splits at some places of an outcome, as an outcome of their own."""
    inside = (whole.split_of >= first) & (whole.split_of < last)
    assert whole.scores is not None
    assert whole.train_counts is not None
    assert whole.train_rows is not None
    assert whole.fit_seconds is not None
    return Outcome(
        whole.splits[first:last],
        whole.split_of[inside] - np.int32(first),
        whole.rows[inside],
        whole.predicted[inside],
        whole.scores[inside],
        whole.score_kind,
        train_counts=whole.train_counts[first:last],
        train_rows=whole.train_rows[first:last],
        fit_seconds=whole.fit_seconds[first:last],
    )


@given(data=st.data(), sizes=st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_join_of_parts_in_any_order_is_the_whole(data: st.DataObject, sizes: list[int]) -> None:
    whole = block(3, sizes)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(sizes)))) | {0, len(sizes)})
    parts = [part_of(whole, a, b) for a, b in pairwise(cuts)]
    twice = parts + [part_of(whole, 0, 1)] * data.draw(st.integers(0, 2))
    joined = join(data.draw(st.permutations(twice)))
    assert_same(joined, whole)
    assert joined.fit_seconds is not None
    # both have seconds
    assert joined.fit_seconds.tobytes() == block(3, sizes).fit_seconds.tobytes()  # type: ignore[union-attr]


def test_blocks_that_interlock_are_sorted_by_split() -> None:
    whole = block(0, [2, 1, 3])
    outer = join([part_of(whole, 0, 1), part_of(whole, 2, 3)])
    assert_same(join([outer, part_of(whole, 1, 2)]), whole)


def test_failed_split_is_in_failures_and_nowhere_else() -> None:
    joined = join([failed(2, "no"), block(0, [1, 1]), failed(5, "never")])
    assert joined.failures == ((2, "no"), (5, "never"))
    assert joined.splits.tolist() == [0, 1]


def test_failure_that_was_made_good_is_forgotten() -> None:
    assert join([failed(1, "no"), block(0, [1, 1])]).failures == ()


def test_join_of_nothing_is_nothing() -> None:
    assert_same(join([]), nothing())
    assert join([failed(0, "no")]).failures == ((0, "no"),)


def test_times_are_nan_where_a_piece_has_none() -> None:
    from dataclasses import replace

    joined = join([block(0, [1]), replace(block(1, [1]), fit_seconds=None)])
    assert joined.fit_seconds is not None
    assert np.isnan(joined.fit_seconds).tolist() == [False, True]


def test_path_names_all_ways_that_were_taken() -> None:
    from dataclasses import replace

    assert join([block(0, [1]), replace(block(1, [1]), path="lda")]).path == "lda, refit"
    both = [replace(block(0, [1]), path="lda, refit"), block(1, [1])]
    assert join(both).path == "lda, refit"


@given(
    kinds=st.lists(st.sampled_from(["probability", "decision", ""]), min_size=3, max_size=6),
    sizes=st.lists(st.integers(0, 2), min_size=6, max_size=6),
    cut=st.integers(1, 5),
)
def test_kinds_of_scores_do_not_depend_on_what_was_joined_first(
    kinds: list[str], sizes: list[int], cut: int
) -> None:
    pieces = [
        replace(block(place, [size], scores=bool(kind)), score_kind=kind)
        for place, (kind, size) in enumerate(zip(kinds, sizes, strict=False))
    ]
    told = {kind for kind, size in zip(kinds, sizes, strict=False) if size}
    joined = join(pieces)
    in_parts = join([join(pieces[cut:]), join(pieces[:cut])])
    assume(told)
    assert joined.mixed_kinds == (tuple(sorted(told)) if len(told) > 1 else ())
    assert (joined.scores is None) == (len(told) > 1 or told == {""})
    assert in_parts.mixed_kinds == joined.mixed_kinds
    assert_same(in_parts, joined)


def test_scores_of_different_kinds_leave_the_classes_of_all_splits() -> None:
    first, second = block(0, [2]), block(1, [1], scores=False)
    joined = join([second, first])
    assert (joined.score_kind, joined.scores) == ("", None)
    assert joined.predicted.tolist() == [*first.predicted, *second.predicted]
    assert unpack(pack(joined)).mixed_kinds == ("", "probability")


def test_warnings_are_those_of_all_parts_in_order() -> None:
    one = replace(block(5, [1]), warnings=((5, "b"), (5, "a")))
    two = replace(block(2, [1]), warnings=((2, "b"),))
    assert join([one, two, one]).warnings == ((2, "b"), (5, "a"), (5, "b"))
    assert join([one]).warnings == ((5, "a"), (5, "b"))
