"""Fill the output of the commands that pages show below each ``$ heldout ...``, and their pictures.

A picture of ``images/NAME.png`` is drawn by the last command before it that names ``NAME.png``.
"""

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


#: a picture that a command of the page draws
PICTURE = re.compile(r"!\[[^]]*\]\(images/(?P<name>[\w-]+\.png)\)")
#: charts have few colours
COLOURS = 96


def run(command: str, folder: str) -> str:
    """What a command prints on standard output, 80 columns wide."""
    done = subprocess.run(
        [sys.executable, "-m", "heldout", *shlex.split(command)],
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout or sys.exit(f"heldout {command}: {done.stderr}")


def output_of(command: str) -> str:
    """What a command prints where nothing else is."""
    with tempfile.TemporaryDirectory() as folder:
        return run(command, folder)


def drawing_commands(page: str) -> dict[str, str]:
    """The command that draws each picture of a page, by the name of its file."""
    commands = {}
    for picture in PICTURE.finditer(page):
        before = page[: picture.start()].replace("\\\n", " ").splitlines()
        lines = [line.removeprefix("$ ") for line in before]
        own = [line for line in lines if line.startswith("heldout ") and picture["name"] in line]
        if own:
            commands[picture["name"]] = own[-1].removeprefix("heldout ")
    return commands


def draw(page: str, images: Path) -> None:
    """The pictures of a page, made anew in their folder."""
    from PIL import Image

    for name, command in drawing_commands(page).items():
        with tempfile.TemporaryDirectory() as folder:
            run(command, folder)
            drawn = Image.open(Path(folder) / name).convert("RGB")
        images.mkdir(exist_ok=True)
        drawn.quantize(COLOURS, dither=Image.Dither.NONE).save(images / name, optimize=True)


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
        draw(page, path.parent / "images")


if __name__ == "__main__":
    main(sys.argv[1:])
