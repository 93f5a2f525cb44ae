"""Laws of the house: what every folder, every module and every release must keep to."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

import heldout

PACKAGE = Path(heldout.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
#: names that do not say what a value is, and how many of them a folder may still have
EMPTY_NAMES = {"made", "found", "one", "place", "told"}
ALLOWED_NAMES = {"engines": 28, "report": 4}
ALLOWED_NAMES |= {"procedures": 9, "": 1}
LATE = ("click", "duckdb", "matplotlib", "pandas", "pyspark", "rich", "scipy.stats", "sklearn")


def short(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sentences(docstring: str) -> int:
    """How many sentences a docstring has: full stops before a space or the end."""
    return len(re.findall(r"[.!?](?=\s|$)", docstring.strip()))


def borrowed(trees: Iterable[ast.Module]) -> dict[str, set[str]]:
    """The names that modules take from each module of heldout."""
    names: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                names.setdefault(node.module, set()).update(alias.name for alias in node.names)
    return names


def private(names: set[str]) -> list[str]:
    """Those of some names that belong to their own module."""
    return sorted(name for name in names if name.startswith("_") and not name.startswith("__"))


def empty_names(tree: ast.Module) -> list[int]:
    """The lines that bind a name which does not say what it stands for."""
    nodes = list(ast.walk(tree))
    bound = [(n.id, n.lineno) for n in nodes if isinstance(n, ast.Name) and is_bound(n)]
    bound += [(n.arg, n.lineno) for n in nodes if isinstance(n, ast.arg)]
    return sorted(line for name, line in bound if name in EMPTY_NAMES)


def is_bound(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
TAKEN = borrowed(TREES.values())
DOTTED = {dotted(path) for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_module_opens_with_one_sentence(path: Path) -> None:
    docstring = ast.get_docstring(TREES[path])
    assert docstring, "no docstring"
    first = docstring.split("\n\n")[0]
    assert sentences(first) == 1, first
    assert first.endswith("."), first


def test_folder_is_a_package_that_says_what_it_holds() -> None:
    folders = {path.parent for path in MODULES}
    silent = sorted(short(folder) for folder in folders if not (folder / "__init__.py").is_file())
    assert not silent


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_private_name_is_used_in_its_own_module_alone(path: Path) -> None:
    assert private(TAKEN.get(dotted(path), set())) == []


def test_law_of_private_names_notices_a_fault() -> None:
    taken = borrowed(
        [ast.parse("from heldout.x import _f\nfrom heldout.x import __version__, g\n")]
    )
    assert private(taken["heldout.x"]) == ["_f"]


FOLDERS = sorted({short(path).rpartition("/")[0].partition("/")[0] for path in MODULES})


@pytest.mark.parametrize("folder", FOLDERS)
def test_local_names_say_what_they_stand_for(folder: str) -> None:
    bad = [
        f"{short(path)}:{line}"
        for path, tree in TREES.items()
        if short(path).rpartition("/")[0].partition("/")[0] == folder
        for line in empty_names(tree)
    ]
    # the numbers may only shrink: what is left waits for whoever next works on the file
    assert len(bad) <= ALLOWED_NAMES.get(folder, 0), bad


@pytest.mark.parametrize(
    "source", ["made = f()", "for one in x: pass", "def f(place): pass", "if (found := g()): pass"]
)
def test_law_of_local_names_notices_a_fault(source: str) -> None:
    assert empty_names(ast.parse(source)) == [1]
    assert empty_names(ast.parse("a.place = f(one, made=2)")) == []


def test_every_public_name_exists() -> None:
    assert list(heldout.__all__) == sorted(set(heldout.__all__))
    assert [name for name in heldout.__all__ if not hasattr(heldout, name)] == []


def test_public_name_is_not_the_name_of_a_folder() -> None:
    # Importing heldout.x sets heldout.x to the folder, and users would get what came last.
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert sorted(folders & set(heldout.__all__)) == []


def test_importing_heldout_loads_nothing_heavy_and_warns_of_nothing() -> None:
    code = "import sys, json, threading, heldout; "
    code += "print(json.dumps([sorted(sys.modules), threading.active_count()]))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    modules, threads = json.loads(done.stdout)
    assert sorted(set(LATE) & set(modules)) == []
    assert threads == 1


def test_a_short_score_loads_only_what_it_uses(tmp_path: Path) -> None:
    # each of these takes longer to load than the rest of the command
    code = "import sys; from heldout.cli.main import main; "
    code += "main(['score', 'example:spam', '--positive', 'spam', '--quiet']); "
    code += "print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    heavy = {"matplotlib", "numpy.f2py", "numpy.testing", "pandas", "sklearn"}
    heavy |= {"scipy.linalg", "scipy.special", "scipy.stats"}
    # nor is what reads large files, data sets or run stores
    heavy |= {
        "sqlite3",
        "heldout.datasets",
        "heldout.engines.scan",
        "heldout.predictions.tally_file",
    }
    assert heavy & set(done.stderr.split()) == set()


def test_a_command_searches_for_garbage_as_usual_once_its_modules_are_loaded() -> None:
    code = "import gc, sys; usual = gc.get_threshold(); from heldout.cli.main import main; "
    code += "sys.argv = ['heldout', '--version']; main(); print(gc.get_threshold()[0]); "
    code += "gc.collect(); print(gc.get_threshold() == usual, gc.callbacks)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["100000", "True []"]


def test_versions_agree(root: Path) -> None:
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)
    cited = re.search(r"^version: (\S+)$", citation, re.MULTILINE)
    assert newest
    assert cited
    assert newest[1] == cited[1] == project["version"] == heldout.__version__
