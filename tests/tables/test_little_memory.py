"""Reading with a limit on the addresses of the process (``ulimit -v``)."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCORE = """
import resource, sys
limit = int(sys.argv.pop(1)) * 2**20
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
from heldout.cli.main import main
main()
"""
SETTINGS = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**31, resource.getrlimit(resource.RLIMIT_AS)[1]))
from heldout.tables.duck import connection
with connection() as database:
    print(database.sql("SELECT current_setting('threads'), current_setting('memory_limit')"))
"""


def run(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )


def test_database_keeps_within_the_limit() -> None:
    told = run(SETTINGS)
    assert told.returncode == 0, told.stderr
    assert "1.0 GiB" in told.stdout
    assert " 1 " in told.stdout


def test_many_classes_are_scored(tmp_path: Path) -> None:
    classes = [f"c{k}" for k in range(200)]
    rows = [
        {"truth": classes[i % 200], **{f"prob_{c}": 1 / 200 for c in classes}} for i in range(400)
    ]
    data = tmp_path / "many.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)))
    asked = ("score", str(data), "--truth", "truth", "--score-prefix", "prob_")
    scored = run(SCORE, "2048", *asked)
    assert scored.returncode == 0, scored.stderr
