"""A column of scores with a slip in it: the message shows the slip, not a good value."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.errors import InputError
from karat.predictions.read import read_predictions


@pytest.mark.parametrize("name", ["p", "score"])
def test_first_value_that_is_no_number_is_shown_with_its_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "slip.csv"
    path.write_text(f"y,{name},w\n0,0.1,1\n1,abc,1\n0,0.3,1\n1,xyz,1\n")
    with pytest.raises(InputError) as caught:
        read_predictions(path, truth="y")
    message = str(caught.value)
    assert f"column '{name}': no number ('abc') in 2 rows (first: line 3 of " in message
    assert "0.1" not in message


def test_column_of_texts_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("y,p\n0,low\n1,high\n0,low\n1,high\n")
    with pytest.raises(InputError, match=r"holds texts \('high'\), so it is no score"):
        read_predictions(path, truth="y")
