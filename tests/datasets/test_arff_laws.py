"""Laws of ARFF: what is written with quotes and escapes is read back, dense or sparse."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from heldout.tables.arff import read_arff_lines

TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.text(" %'\\\"{},?a5\n", max_size=8),
)
NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))


def quoted(text: str) -> str:
    """A text as Weka writes it."""
    for sign, code in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(sign, code)
    return f"'{text}'"


@given(
    name=TEXTS,
    levels=st.lists(TEXTS, min_size=1, max_size=5, unique=True),
    rows=st.lists(st.tuples(NUMBERS, st.integers(0, 100), TEXTS), min_size=1, max_size=8),
    is_sparse=st.booleans(),
)
def test_what_is_written_is_read_back(
    name: str, levels: list[str], rows: list[tuple[float | None, int, str]], is_sparse: bool
) -> None:
    columns = [f"{quoted('n' + name)} numeric", f"'c' {{{', '.join(map(quoted, levels))}}}"]
    lines = ["@relation r", *(f"@attribute {one}" for one in columns), "@attribute t string"]
    lines.append("@data")
    for number, code, text in rows:
        cells = ["?" if number is None else repr(number)]
        cells += [quoted(levels[code % len(levels)]), quoted(text)]
        if is_sparse:
            pairs = [f"{place} {cell}" for place, cell in enumerate(cells)]
            lines.append("{" + ", ".join(pairs) + "}")
        else:
            lines.append(",".join(cells))
    found = list(read_arff_lines(lines, "r.arff").table.columns.values())
    assert [column.name for column in found] == ["n" + name, "c", "t"]
    wanted = [np.nan if number is None else number for number, _, _ in rows]
    assert np.array_equal(found[0].values, wanted, equal_nan=True)
    assert found[1].levels == tuple(levels)
    assert found[1].values.tolist() == [code % len(levels) for _, code, _ in rows]
    assert [found[2].levels[code] for code in found[2].values] == [text for _, _, text in rows]
