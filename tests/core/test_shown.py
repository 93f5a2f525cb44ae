"""What is invisible in a text is escaped, unless it is part of a sign that is seen."""

from __future__ import annotations

import pytest

from heldout.core.shown import visible

JOINER, AS_PICTURE = "\u200d", "\ufe0f"
WOMAN, COMPUTER, HEART, KEY = "\U0001f469", "\U0001f4bb", "\u2764", "\u20e3"


@pytest.mark.parametrize(
    "text",
    [
        WOMAN + JOINER + COMPUTER,
        f"{WOMAN}\U0001f3fd{JOINER}{COMPUTER} dev",
        HEART + AS_PICTURE,
        WOMAN + JOINER + HEART + AS_PICTURE + JOINER + WOMAN,
        "1" + AS_PICTURE + KEY,
    ],
)
def test_what_joins_emoji_is_part_of_them(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"a{JOINER}b", r"a\u200db"),
        (JOINER + WOMAN, rf"\u200d{WOMAN}"),
        (WOMAN + JOINER, rf"{WOMAN}\u200d"),
        (WOMAN + JOINER + JOINER + COMPUTER, rf"{WOMAN}\u200d\u200d{COMPUTER}"),
        # nobody would see which of two labels has it
        (WOMAN + AS_PICTURE, rf"{WOMAN}\ufe0f"),
        (f"1{AS_PICTURE}", r"1\ufe0f"),
    ],
)
def test_alone_it_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown
