"""No module reads sentences of heldout: conditions are fields, words are made at the edge."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import heldout

PACKAGE = Path(heldout.__file__).parent
#: what holds sentences, as an attribute or as a name
WORDS = {"note", "notes", "method", "procedure", "reason", "remark"}
READING = {
    "endswith",
    "find",
    "fullmatch",
    "match",
    "partition",
    "removeprefix",
    "removesuffix",
    "rpartition",
    "search",
    "split",
    "startswith",
}
#: errors of other libraries have no fields but their words
FOREIGN = {
    "cli/main.py": 1,
    "core/disk.py": 1,
    "runner/clusters.py": 1,
    "runner/database.py": 2,
    "runner/recover.py": 1,
    "tables/duck.py": 1,
    "tables/files.py": 2,
    "tables/text_files.py": 2,
}
#: how often other modules do it until that is mended; ``intervals/interval.py`` compares notes
ALLOWED = FOREIGN | {
    "cli/audit_input.py": 1,
    "cli/evaluate_input.py": 1,
    "cli/requirements.py": 1,
    "comparison/compare.py": 1,
    "comparison/comparison.py": 1,
    "comparison/difference.py": 1,
    "comparison/results_comparison.py": 4,
    "comparison/words.py": 3,
    "evaluation/evaluation.py": 1,
    "intervals/interval.py": 1,
    "procedures/apply.py": 1,
    "procedures/from_splitter.py": 1,
    "report/comparison.py": 1,
    "report/comparison_pairs.py": 1,
    "report/remarks.py": 1,
    "report/scorecard.py": 1,
    "selection/bias_corrected.py": 1,
    "selection/bootstrap_value.py": 1,
    "selection/failed.py": 3,
    "selection/search.py": 2,
    "selection/warned.py": 1,
}


def is_sentence(node: ast.expr) -> bool:
    """Whether an expression is one of our sentences: ``x.note``, ``note``, ``str(error)``."""
    if isinstance(node, ast.Attribute):
        return node.attr in WORDS
    if isinstance(node, ast.Name):
        return node.id in WORDS
    is_text = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if is_text and node.func.id in ("str", "message_of") and node.args:  # type: ignore[attr-defined]
        (given,) = node.args  # type: ignore[attr-defined]
        return isinstance(given, ast.Name) and given.id in ("error", "lack")
    return False


def readings(tree: ast.AST) -> list[int]:
    """The lines that look for words in a sentence."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # words apart at any space are not looked at
            is_reading = node.func.attr in READING and bool(node.args)
            if is_reading and any(map(is_sentence, (node.func.value, *node.args))):
                lines.append(node.lineno)
        elif isinstance(node, ast.Compare):
            looked_in = [
                right
                for operator, right in zip(node.ops, node.comparators, strict=True)
                if isinstance(operator, ast.In | ast.NotIn)
            ]
            if any(is_sentence(right) for right in looked_in):
                lines.append(node.lineno)
    return lines


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_module_reads_sentences_of_heldout(path: Path) -> None:
    lines = readings(ast.parse(path.read_text(encoding="utf-8")))
    most = ALLOWED.get(path.relative_to(PACKAGE).as_posix(), 0)
    assert len(lines) <= most, f"lines {lines}: give the condition a field (core/notes)"


@pytest.mark.parametrize(
    "source",
    [
        "result.note.startswith('mean of')",
        "'outside' in interval.note",
        "PATTERN.search(design.procedure)",
        "[n for n in notes if n.kind] and 'defined' not in note",
        "'locked' in str(error)",
        "reason.removeprefix('undefined: ')",
    ],
)
def test_law_notices_the_habit(source: str) -> None:
    assert readings(ast.parse(source))


@pytest.mark.parametrize(
    "source", ["note.kind is Kind.CUT", "'; '.join(notes)", "name.startswith('p_')", "str(error)"]
)
def test_law_leaves_other_code_alone(source: str) -> None:
    assert not readings(ast.parse(source))
