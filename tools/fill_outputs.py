"""Fill the output of the commands that pages show, below each ``$ heldout ...``."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: a block without a language that starts with a command; what follows it is the output
BLOCK = re.compile(
    r"^```\n\$ heldout (?P<command>.*)\n(?P<output>(?:(?!```).*\n)*)```$", re.MULTILINE
)


def output_of(command: str) -> str:
    """What a command prints on standard output, 80 columns wide."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "heldout", *shlex.split(command)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    return done.stdout or sys.exit(f"heldout {command}: {done.stderr}")


def filled(page: str) -> str:
    """The page with every output as it is printed now."""
    return BLOCK.sub(
        lambda block: f"```\n$ heldout {block['command']}\n{output_of(block['command'])}```", page
    )


def main(paths: list[str]) -> None:
    """Pages written anew: those named, or all that show output."""
    for path in map(Path, paths) if paths else (ROOT / "docs").rglob("*.md"):
        page = path.read_text(encoding="utf-8")
        path.write_text(filled(page), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
