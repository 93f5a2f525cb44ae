"""Rows of a Spark DataFrame: workers pack them into keys, which the driver adds.

There are no RDDs and no accumulators, so that it runs under Spark Connect too. What a task sends is
its result: the result of a task that failed and was run again arrives once.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import warnings
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from heldout.core.dialect import argument
from heldout.core.errors import InputError, MissingExtra
from heldout.engines.arrow_kernel import sent_by_value
from heldout.engines.duck_source import Files
from heldout.engines.lazy_source import WorkerSource, asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.tables.files import SourceFile

#: bytes of keys that are collected at once; more of them come from one partition after the other
COLLECTED_BYTES = 2**28
#: seconds that a master has to answer
PATIENCE = 5.0
#: a session of our own says nothing on the terminal and leaves no files
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}


class SparkSource(WorkerSource):
    """A DataFrame of Spark, of a session in this process or of Spark Connect."""

    def sent(
        self, work: Callable[..., Any], schema: str, names: list[str], size: int | None
    ) -> Iterator[Any]:
        """All blocks at once where they are few, else one partition after the other."""
        from pyspark import cloudpickle

        sent_by_value(cloudpickle)
        answer = self.native.select(*map(_quoted, names)).mapInArrow(work, schema)
        if size is not None and size <= COLLECTED_BYTES:
            for block in answer.toArrow().to_pylist():
                yield tuple(block.values())
            return
        # partitions are fetched one by one: all of them are worked on before, and kept on disks
        kept = answer if is_remote(answer) else _on_disks(answer)
        try:
            yield from map(tuple, kept.toLocalIterator(prefetchPartitions=True))
        finally:
            if kept is not answer:
                kept.unpersist()


def is_remote(frame: Any) -> bool:
    """Whether a DataFrame is one of Spark Connect."""
    return ".connect." in type(frame).__module__


def _on_disks(answer: Any) -> Any:
    from pyspark import StorageLevel

    kept = answer.persist(StorageLevel.DISK_ONLY)
    kept.count()
    return kept


def _quoted(name: str) -> str:
    """A column name in which dots and spaces mean themselves."""
    return "`" + name.replace("`", "``") + "`"


def spark_session(master: str | None) -> Any:
    """A session at a master: ``local[2]``, ``spark://host:7077``, ``sc://host`` (Connect) ...

    Without one it is that of this process, or of Spark's own settings.
    """
    if find_spec("pyspark") is None:
        raise MissingExtra("pyspark", argument("engine", "spark"), "spark")
    if find_spec("pyarrow") is None or find_spec("narwhals") is None:
        raise MissingExtra("pyarrow and narwhals", argument("engine", "spark"), "spark")
    address = master or os.environ.get("SPARK_REMOTE") or os.environ.get("MASTER") or ""
    refuse_unreachable(address)
    if not address.startswith("sc://"):
        _refuse_without_java()
    # workers have to run the Python that the driver runs
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with TemporaryFile() as said, _errors_to(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName("heldout")
        if address.startswith("sc://"):
            builder = builder.remote(address)
        elif address or SparkSession.getActiveSession() is None:
            builder = builder.master(address or "local[*]")
            builder = builder.config("spark.sql.warehouse.dir", gettempdir())
            for name, value in SETTINGS.items():
                builder = builder.config(name, value)
        try:
            return builder.getOrCreate()
        except Exception as error:
            cause = str(error).strip().partition("\n")[0] or type(error).__name__
            raise InputError(
                f"{argument('master', address or 'local[*]')}: Spark does not start "
                f"({cause[:160]}); check the master, and that Java runs"
            ) from None


def spark_files(
    files: Sequence[SourceFile], name: str, master: str | None, columns: Sequence[str] = ()
) -> SparkSource:
    """Files that are one table; those of this machine are checked as those that are scanned are."""
    reader = spark_session(master).read
    Files.of(files, files[0].name).check()
    first = files[0]
    paths = [str(file.path.absolute()) for file in files]
    with asked(first.name):
        if first.partitions:
            reader = reader.option("basePath", _base_of(first.path))
        if first.format == "parquet":
            frame = reader.parquet(*paths)
        elif first.format == "json":
            frame = reader.json(paths)
        else:
            frame = reader.csv(
                paths, sep=first.delimiter or ",", header=True, inferSchema=True, escape='"'
            )
        frame = frame.select(*map(_quoted, columns)) if columns else frame
    return SparkSource(name, frame)


def _base_of(path: Path) -> str:
    """The folder above those that name columns."""
    parts = path.absolute().parts
    first = next(place for place, part in enumerate(parts) if "=" in part)
    return str(Path(*parts[:first]))


def refuse_unreachable(master: str) -> None:
    """An error where nothing answers at the address of a master, before Spark tries it for long."""
    if "://" not in master:
        return
    address = urlsplit(master.split(",", maxsplit=1)[0].removeprefix("k8s://"))
    try:
        ports = {"sc": 15002, "spark": 7077, "https": 443, "http": 80}
        host, port = address.hostname or "", address.port or ports.get(address.scheme, 0)
        if not host or not port:
            raise ValueError(f"no host in {master}")
        socket.create_connection((host, port), PATIENCE).close()
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{argument('master', master)}: no Spark master answers there ({cause}); "
            "check host and port, or give local[*] for this machine"
        ) from None


def _refuse_without_java() -> None:
    home = os.environ.get("JAVA_HOME", "")
    if not (shutil.which("java") or (home and shutil.which(str(Path(home, "bin", "java"))))):
        raise InputError(
            f"{argument('engine', 'spark')} needs Java 17 or newer, and there is none; install it "
            "(Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME"
        )


@contextmanager
def _errors_to(file: Any) -> Iterator[None]:
    """What this process, and those that it starts meanwhile, write to standard error is kept off.

    A Java machine that is started keeps the file as its standard error.
    """
    sys.stderr.flush()
    own = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(own, 2)
        os.close(own)
