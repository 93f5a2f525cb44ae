"""ARFF files: what is read, what is refused, and that what is written is read back."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.core.errors import InputError
from heldout.tables.arff import Arff, is_arff_name, read_arff, read_arff_lines

HEADER = "@relation toy\n@attribute x numeric\n@attribute c {red, 'light blue'}\n@data\n"


def parsed(text: str) -> Arff:
    return read_arff_lines(text.splitlines(), "toy.arff")


def test_nominal_values_keep_their_declared_order() -> None:
    column = parsed(HEADER + "1,'light blue'\n2,red").table.columns["c"]
    assert column.kind == "category"
    assert column.levels == ("red", "light blue")
    assert column.values.tolist() == [1, 0]


def test_question_mark_is_missing_and_a_quoted_one_is_text() -> None:
    arff = parsed("@relation r\n@attribute x real\n@attribute s string\n@data\n?,'?'\n1,?")
    assert np.isnan(arff.table.columns["x"].values).tolist() == [True, False]
    texts = arff.table.columns["s"]
    assert texts.missing is not None
    assert texts.missing.tolist() == [False, True]
    assert texts.levels == ("?",)


def test_keywords_and_types_have_no_case_and_tabs_are_spaces() -> None:
    arff = parsed("@RELATION 'my data'\n@Attribute\tx\tREAL\n@ATTRIBUTE y Integer\n@DATA\n1.5\t2")
    assert arff.relation == "my data"
    assert arff.table.columns["x"].values.tolist() == [1.5]
    assert arff.table.columns["y"].values.tolist() == [2.0]
    mixed = parsed("@relation\tr s\n@attribute\ta numeric\n@attribute \tb\t{x, y}\n@data\n1,y")
    assert mixed.relation == "r s"
    assert mixed.table.columns["b"].levels == ("x", "y")


def test_quoted_names_and_values_with_spaces_escapes_commas_and_braces() -> None:
    text = (
        "@relation r\n@attribute 'blood pressure' numeric\n"
        "@attribute \"it's\" {'a, b', 'c\\'d', \"{e}\", '50%'}\n@data\n"
        "1, 'a, b'\n2,'c\\'d'\n3, \"{e}\"\n4,'50%'"
    )
    columns = parsed(text).table.columns
    assert list(columns) == ["blood pressure", "it's"]
    assert columns["it's"].levels == ("a, b", "c'd", "{e}", "50%")
    assert columns["it's"].values.tolist() == [0, 1, 2, 3]


def test_comments_are_passed_over_and_lines_still_counted() -> None:
    text = "% a comment\n" + HEADER + "% another\n\n1,red % at the end\n2,blue"
    with pytest.raises(InputError, match=r"toy.arff line 9: 'blue' is not among the declared"):
        parsed(text)


def test_sparse_row_is_zero_and_the_first_value_where_nothing_stands() -> None:
    header = "@relation r\n@attribute a numeric\n@attribute b {p, q}\n@attribute c numeric\n@data\n"
    columns = parsed(header + "{0 5, 1 q}\n{2 ?}\n{}").table.columns
    assert columns["a"].values.tolist() == [5, 0, 0]
    assert columns["b"].values.tolist() == [1, 0, 0]
    assert np.isnan(columns["c"].values).tolist() == [False, True, False]


def test_weights_in_braces_follow_dense_and_sparse_rows() -> None:
    arff = parsed(HEADER + "1,red,{5}\n2,red\n{0 3}, {0.5}")
    assert arff.weight is not None
    assert arff.weight.tolist() == [5, 1, 0.5]
    assert arff.table.columns["x"].values.tolist() == [1, 2, 3]
    assert parsed(HEADER + "1,red").weight is None


def test_braces_and_commas_in_quotes_are_text_in_sparse_rows_too() -> None:
    header = "@relation r\n@attribute s string\n@attribute t string\n@data\n"
    arff = parsed(header + "{0 '{5}', 1 ' ,}{'}\n{1 '%, {2}'}, {3}")
    column = arff.table.columns["t"]
    assert [column.levels[code] for code in column.values] == [" ,}{", "%, {2}"]
    assert arff.weight is not None
    assert arff.weight.tolist() == [1, 3]


def test_dates_are_read_by_their_pattern_and_written_as_iso() -> None:
    text = "@relation r\n@attribute d date 'dd/MM/yyyy'\n@attribute t date\n@data\n"
    columns = parsed(text + "31/12/2020,2020-01-02T03:04:05\n?,?").table.columns
    assert columns["d"].levels == ("2020-12-31",)
    assert columns["t"].levels == ("2020-01-02T03:04:05",)
    with pytest.raises(
        InputError, match=r"line 5: '2020-12-31' is not a date of the form dd/MM/yyyy"
    ):
        parsed(text + "2020-12-31,?")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEADER + "1,red,2", "line 5: 3 values for 2 attributes"),
        (HEADER + "1,", "line 5: a value is empty"),
        (HEADER + "one,red", "line 5: 'one' is not a number, but attribute 'x' is numeric"),
        (HEADER + "1,rde", "line 5: 'rde' is not among .* did you mean red"),
        (HEADER + "1,'light blue", "line 5: a wrong quote"),
        (HEADER + "{0 1, 0 2}", "line 5: index 0 is out of order"),
        (HEADER + "{7 1}", "line 5: index 7 is out of order or beyond the last, 1"),
        (HEADER + "{0 1", "line 5: the closing brace is missing"),
        (HEADER + "{0 1} 5", "line 5: '5' follows the closing brace"),
        (HEADER + "{zero 1}", "line 5: .* is no 'index value' pair"),
        (HEADER + "1,red,{many}", "line 5: the weight 'many' is not a number"),
        (HEADER, "has no rows after @data"),
        ("@relation r\n@attribute x numeric\n", "has no @data line"),
        ("@relation r\n1,2\n@data\n1", "line 2: '1,2' stands before @data"),
        ("@relation r\n@atribute x real\n@data\n1", "line 2: unknown keyword @atribute; did you"),
        ("@relation r\n@attribute x nominal\n@data\n1", "line 2: attribute 'x' has 'nominal'"),
        ("@relation r\n@attribute x {a, b\n@data\na", "line 2: .* lack a closing brace"),
        ("@relation r\n@attribute x {a, a}\n@data\na", "declares the value 'a' twice"),
        ("@relation r\n@attribute x real\n@attribute x real\n@data\n1,2", "two attributes named"),
        ("@relation r\n@data\n1,2", "declares no @attribute"),
    ],
)
def test_fault_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        parsed(text)


def test_rows_are_called_by_their_lines_where_these_are_in_order() -> None:
    assert parsed(HEADER + "1,red\n2,red").table.place(1) == "line 6 of toy.arff"
    assert parsed(HEADER + "1,red\n% no\n2,red").table.place(1) == "data row 2 of toy.arff"


def test_compressed_file_is_read_and_wrong_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "toy.arff.gz"
    path.write_bytes(gzip.compress((HEADER + "1,red\n").encode()))
    assert is_arff_name(path)
    assert read_arff(path).table.rows == 1
    plain = tmp_path / "latin.arff"
    plain.write_bytes((HEADER + "1,red\n").replace("toy", "d\xe9j\xe0").encode("latin-1"))
    with pytest.raises(InputError, match="line 1 is not UTF-8"):
        read_arff(plain)


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
