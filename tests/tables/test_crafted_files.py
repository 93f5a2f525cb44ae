"""Arrow, Feather and Parquet files that were damaged or made to do harm: read, or refused."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

from heldout.tables.read import read_table

TABLE = pa.table(
    {
        "y": ["a", "b", "é", None] * 5,
        "p": [0.1, 0.2, 0.3, None] * 5,
        "d": pa.array(["u", "v", None, "w"] * 5).dictionary_encode(),
        "l": [[1, 2], [], None, [3]] * 5,
    }
)
WORDS = (b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x01\0\0\0")

#: names each file before it is read, since the process may end in any way
READER = """
import sys
from heldout.core.errors import InputError
from heldout.tables.read import read_table
for path in sys.argv[1:]:
    print(path, flush=True)
    try:
        read_table(path)
    except InputError:
        pass
"""


def written(folder: Path) -> dict[str, bytes]:
    """The table in each format."""
    with pa.ipc.new_file(folder / "t.arrow", TABLE.schema) as file:
        file.write_table(TABLE)
    with pa.ipc.new_stream(folder / "t.ipc", TABLE.schema) as stream:
        stream.write_table(TABLE)
    pa.feather.write_feather(TABLE, folder / "t.feather", compression="lz4")
    pa.parquet.write_table(TABLE, folder / "t.parquet", compression="none", use_dictionary=False)
    return {path.suffix: path.read_bytes() for path in sorted(folder.iterdir())}


def mutations(whole: dict[str, bytes], count: int) -> Iterator[tuple[str, bytes]]:
    """Files with some bytes changed, a word replaced, a stretch removed or put in."""
    rng = random.Random(11)
    for _ in range(count):
        ending = rng.choice(list(whole))
        content = bytearray(whole[ending])
        place = rng.randrange(len(content))
        kind = rng.random()
        if kind < 0.6:
            for _ in range(rng.randint(1, 4)):
                content[rng.randrange(len(content))] = rng.choice([0, 127, 128, 255])
        elif kind < 0.8:
            content[place : place + 4] = rng.choice(WORDS)
        elif kind < 0.9:
            del content[place : rng.randrange(len(content))]
        else:
            content[place:place] = rng.randbytes(rng.randint(1, 9))
        yield ending, bytes(content)


def test_crafted_files_end_in_words_and_never_the_process(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    paths = []
    for number, (ending, content) in enumerate(mutations(written(seeds), 300)):
        paths.append(tmp_path / f"{number}{ending}")
        paths[-1].write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", READER, *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stdout.splitlines()[-1]
    assert (done.returncode, last) == (0, str(paths[-1])), done.stderr


def test_categories_numbered_without_a_sign_may_lack_values(tmp_path: Path) -> None:
    codes = pa.array([0, None, 1], pa.uint32())
    table = pa.table({"y": pa.DictionaryArray.from_arrays(codes, ["no", "yes"])})
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table)
    column = read_table(tmp_path / "t.arrow").columns["y"]
    assert column.levels == ("no", "yes")
    assert column.missing is not None
    assert column.missing.tolist() == [False, True, False]


def test_a_name_that_is_no_text_in_arrows_own_schema_is_passed_over(tmp_path: Path) -> None:
    import base64

    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"duration": pa.array([1, 2], pa.duration("s"))}), path)
    content = path.read_bytes()
    schema = pa.parquet.read_metadata(path).metadata[b"ARROW:schema"]
    spoilt = base64.b64encode(base64.b64decode(schema).replace(b"duration", b"durat\xff\xfen"))
    assert spoilt != schema
    path.write_bytes(content.replace(schema, spoilt))
    table = read_table(path)
    assert table.columns["duration"].values.tolist() == [1, 2]
