"""Golden commands: each line of ``commands/TOPIC.txt`` run in a shell, with what it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.golden.tables import write_tables

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
# What depends on the moment or the machine, and not on the program.
VARYING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?([+-]\d\d:\d\d|Z)?"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)?( ?ms|e-\d+ s| s| seconds)\b"), "<seconds>"),
)
PICTURE = 'golden-picture() { "$GOLDEN_PYTHON" -m tools.golden.pictures "$@"; }\n'
LARGEST = 12_000


@dataclass(frozen=True)
class Transcript:
    """A command line with its exit code and what it wrote."""

    command: str
    code: int
    out: str
    err: str

    def __str__(self) -> str:
        parts = [f"$ {self.command}", f"[exit {self.code}]", self.out.rstrip("\n")]
        if self.err:
            parts += ["[standard error]", self.err.rstrip("\n")]
        return "\n".join(part for part in parts if part)


def run_topics(topics: list[str], every: int = 1) -> dict[str, list[Transcript]]:
    """The transcripts of topics, two at a time; of each topic every so-manieth command."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(topics, pool.map(lambda t: _run_topic(t, every), topics), strict=True))


def topics() -> list[str]:
    """The names of the files of commands."""
    return sorted(path.stem for path in (FOLDER / "commands").glob("*.txt"))


def write_transcripts(transcripts: dict[str, list[Transcript]]) -> None:
    """Keep transcripts as what is expected from now on."""
    _expected("").parent.mkdir(exist_ok=True)
    for topic, lines in transcripts.items():
        text = "\n\n".join(str(transcript) for transcript in lines) + "\n"
        _expected(topic).write_text(text, encoding="utf-8")


def kept_transcripts(topic: str) -> dict[str, str]:
    """The expected transcript of each command of a topic, as text."""
    text = _expected(topic).read_text(encoding="utf-8")
    blocks = re.split(r"\n\n(?=\$ )", text.rstrip("\n"))
    return {block.split("\n", 1)[0][2:]: block for block in blocks}


def differences(transcripts: dict[str, list[Transcript]]) -> list[tuple[str, str, str]]:
    """Commands whose transcript is not the expected one: command, expected, actual."""
    return [
        (transcript.command, expected, str(transcript))
        for topic, lines in transcripts.items()
        for kept in (kept_transcripts(topic),)
        for transcript in lines
        if (expected := kept.get(transcript.command, "")) != str(transcript)
    ]


def _expected(topic: str) -> Path:
    return FOLDER / "expected" / f"{topic}.txt"


def _commands(topic: str) -> list[str]:
    lines = (FOLDER / "commands" / f"{topic}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _run_topic(topic: str, every: int) -> list[Transcript]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write_tables(folder)
        return [_run(command, folder) for command in _commands(topic)[::every]]


def _run(command: str, folder: Path) -> Transcript:
    # -I of Python would lose the modules of the working folder, which golden models are.
    bin_folder = Path(sys.executable).parent
    environment = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
        "HOME": str(folder),
        "TMPDIR": os.environ.get("TMPDIR", tempfile.gettempdir()),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "agg",
        "GOLDEN_PYTHON": sys.executable,
    }
    done = subprocess.run(
        ["bash", "-c", PICTURE + command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=600,
    )
    out, err = (
        _settled(stream.decode("utf-8", "backslashreplace"), folder)
        for stream in (done.stdout, done.stderr)
    )
    return Transcript(command, done.returncode, out, err)


def _settled(text: str, folder: Path) -> str:
    """A text without what varies from run to run."""
    text = text.replace(str(folder), "<folder>")
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return (
        lines if len(lines) <= LARGEST else lines[:LARGEST] + f"\n[{len(lines)} characters in all]"
    )
