"""A formula in LaTeX as one readable line of plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}_^&]|\s+|[^\\{}_^&\s]", re.DOTALL)

SIGNS = {
    r"\sum": "Σ", r"\prod": "Π", r"\int": "∫", r"\cdot": "·", r"\times": "×", r"\pm": "±",
    r"\le": "≤", r"\leq": "≤", r"\ge": "≥", r"\geq": "≥", r"\ne": "≠", r"\neq": "≠", r"\in": "∈",
    r"\infty": "∞", r"\to": "→", r"\approx": "≈", r"\sim": "~", r"\dots": "…", r"\ldots": "…",
    r"\cdots": "…", r"\lvert": "|", r"\rvert": "|", r"\mid": "|", r"\vert": "|", r"\partial": "∂",
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\epsilon": "ε", r"\eta": "η",
    r"\varepsilon": "ε", r"\theta": "θ", r"\kappa": "κ", r"\lambda": "λ", r"\mu": "μ", r"\nu": "ν",
    r"\pi": "π", r"\rho": "ρ", r"\sigma": "σ", r"\tau": "τ", r"\phi": "φ", r"\chi": "χ",
    r"\omega": "ω", r"\Phi": "Φ", r"\Delta": "Δ", r"\Gamma": "Γ", r"\lfloor": "⌊",
    r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉", r"\cup": "∪", r"\cap": "∩", r"\neg": "not ",
    r"\,": " ", r"\;": " ", r"\:": " ", r"\ ": " ", r"\!": "", r"\quad": "\u2003",
    r"\qquad": "\u2003", r"\\": "; ", r"\{": "{", r"\}": "}", r"\%": "%", r"\_": "_", r"\&": "&",
    r"\|": "|", "&": " if ", "~": " ",
}  # fmt: skip
#: commands that only shape what follows
SHAPES = {
    r"\left", r"\right", r"\text", r"\textrm", r"\mathrm", r"\mathit", r"\mathbf", r"\mathbb",
    r"\operatorname", r"\big", r"\Big", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\bigg",
    r"\biggl", r"\biggr", r"\displaystyle", r"\limits", r"\nolimits",
}  # fmt: skip
FRACTIONS = (r"\frac", r"\dfrac", r"\tfrac")
ACCENTS = {r"\hat": "\u0302", r"\bar": "\u0304", r"\tilde": "\u0303", r"\overline": "\u0304"}
POWERS = {"2": "²", "3": "³"}
INNER = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
#: an argument that stands alone needs no parentheses: a word, a call, a root, a group, a length
SIMPLE = re.compile(
    rf"[\w.·²³\u0302-\u0304]+(?:\([\w|, ]*\))?|[A-Za-z]{{2,}}\({INNER}\)"
    rf"|√?\({INNER}\)[²³]?|\|[^|]*\|"
)
#: words and signs that would be read as taking only the top of a fraction that follows
TAKES = re.compile(r"(?:log|ln|exp|max|min|[ΣΠ])(?:_\S+)?$")
WIDE = "\u2003"


def formula_text(latex: str) -> str:
    r"""The formula as a line: fractions with a slash, roots, sums and Greek letters as signs.

    Examples
    --------
    >>> formula_text(r"\frac{TP + FN}{n}")
    '(TP + FN) / n'
    >>> formula_text(r"\sqrt{\frac{1}{n} \sum_i (y_i - \hat{y}_i)^2}")
    '√(1/n Σ_i (y_i - ŷ_i)²)'
    """
    from unicodedata import normalize

    text = _Reader([t if not t.isspace() else " " for t in TOKEN.findall(latex)]).text()
    text = re.sub(r" +", " ", text).replace(" if else", " else").replace(" ;", ";")
    return re.sub(rf" ?{WIDE} ?", "  ", normalize("NFC", text)).strip()


class _Reader:
    """Tokens, read one argument at a time."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]

    def text(self, end: str = "") -> str:
        """All up to a closing brace, or the end."""
        text = ""
        while self.tokens:
            token = self.tokens.pop()
            if token == end:
                break
            piece = self.piece(token)
            is_bare = token in FRACTIONS and not SIMPLE.fullmatch(piece)
            text += f"({piece})" if is_bare and TAKES.search(text.rstrip()) else piece
        return text

    def piece(self, token: str) -> str:
        """What a token, with the arguments it takes, says."""
        special: dict[str, Callable[[], str]] = {
            "{": lambda: self.text("}"),
            "_": lambda: "_" + _tight(self.argument()),
            "^": self._power,
            **dict.fromkeys(FRACTIONS, self._fraction),
            r"\sqrt": lambda: f"√({self.argument().strip()})",
            r"\binom": lambda: f"C({self.argument()}, {self.argument()})",
            r"\begin": lambda: self._environment("{ "),
            r"\end": lambda: self._environment(" }"),
        }
        if token in special:
            return special[token]()
        if token in ACCENTS:
            return self.argument() + ACCENTS[token]
        if token in SHAPES:
            return ""
        if token in SIGNS:
            return SIGNS[token]
        return token.removeprefix("\\")

    def argument(self) -> str:
        """The next group, or the next token alone."""
        while self.tokens and self.tokens[-1] == " ":
            self.tokens.pop()
        return self.piece(self.tokens.pop()) if self.tokens else ""

    def _power(self) -> str:
        power = self.argument()
        return POWERS.get(power, "^" + _tight(power))

    def _fraction(self) -> str:
        top, bottom = self.argument().strip(), self.argument().strip()
        if re.fullmatch(r"\w+", top) and re.fullmatch(r"\w+", bottom):
            return f"{top}/{bottom}"
        return f"{_in_parentheses(top)} / {_in_parentheses(bottom)}"

    def _environment(self, bracket: str) -> str:
        self.argument()
        return bracket


def _in_parentheses(text: str) -> str:
    """In parentheses, unless it is one thing already."""
    return text if SIMPLE.fullmatch(text) else f"({text})"


def _tight(text: str) -> str:
    """A sub- or superscript: bare where it is one word."""
    bare = text.replace(" ", "")
    return bare if re.fullmatch(r"[^+\-=/]{1,4}|\w+|[+-]\d?", bare) else f"({text.strip()})"
