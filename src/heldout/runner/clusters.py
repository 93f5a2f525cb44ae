"""Connections to clusters whose joblib backends do the fits: Dask, Ray and Spark."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from heldout.core.errors import HeldoutError, InputError, MissingExtra
from heldout.runner.task import error_line

if TYPE_CHECKING:
    from collections.abc import Iterator

#: seconds to wait for a scheduler to answer
PATIENCE = 15

#: the Python that Spark's workers run
VARIABLE = "PYSPARK_PYTHON"


@contextmanager
def connect_cluster(backend: str, scheduler: str | None) -> Iterator[None]:
    """A connection by which joblib's calls go to the cluster.

    One that is there already (a Dask client, a started Ray, a Spark session) is used when no
    scheduler is named, and left as it was.
    """
    from joblib import parallel_config

    connect = {"dask": _dask, "ray": _ray, "spark": _spark}[backend]
    with connect(scheduler) as options, ExitStack() as stack:
        with catch_warnings():
            # joblib's backend of Spark warns of what it cannot do and nobody asked for
            simplefilter("ignore", UserWarning)
            stack.enter_context(parallel_config(backend=backend, **options))
        yield


@contextmanager
def explain_errors(backend: str) -> Iterator[None]:
    """Errors of a cluster, said so that the reader can do something about them."""
    try:
        yield
    except HeldoutError:
        raise
    except Exception as error:
        # joblib's backend of Spark loses what its workers said, but has printed it
        is_lost = "_ExceptionWithTraceback" in str(error)
        cause = "Spark has printed why" if is_lost else error_line(error)
        raise InputError(
            f"backend {backend}: its workers could not run a batch "
            f"({cause}); they need heldout and "
            "the packages of the models, in the same Python; finished folds are kept"
        ) from error


@contextmanager
def _dask(scheduler: str | None) -> Iterator[dict[str, Any]]:
    try:
        from distributed import Client, get_client

        connect: Any = Client
    except ImportError as error:
        raise MissingExtra("distributed", "the backend dask", "dask") from error

    if scheduler is None:
        try:
            present = get_client()
        except ValueError:
            raise InputError(
                "backend dask: no scheduler is named and no client is connected; "
                "give its address, such as tcp://host:8786"
            ) from None
        yield {"client": present}
        return
    try:
        # one that fails on its way would be everybody's from then on
        client: Any = connect(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"scheduler: no Dask scheduler answers at {scheduler} ({error})"
        ) from error
    try:
        yield {"client": client}
    finally:
        client.close()


@contextmanager
def _ray(scheduler: str | None) -> Iterator[dict[str, Any]]:
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise MissingExtra("ray", "the backend ray", "ray") from error

    is_ours = not ray.is_initialized()
    if is_ours:
        try:
            # a cluster that is there has a dashboard or none; one that is started here needs none
            how = {"address": scheduler} if scheduler else {"include_dashboard": False}
            ray.init(**how, log_to_driver=False, logging_level="error")
        except (ConnectionError, ValueError) as error:
            raise InputError(f"scheduler: no Ray answers at {scheduler} ({error})") from error
    register_ray()
    try:
        yield {}
    finally:
        if is_ours:
            ray.shutdown()


@contextmanager
def _spark(scheduler: str | None) -> Iterator[dict[str, Any]]:
    try:
        from joblibspark import register_spark
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtra("pyspark and joblibspark", "the backend spark", "spark") from error

    present = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("heldout").config(
        "spark.ui.showConsoleProgress", "false"
    )
    builder = builder.master(scheduler) if scheduler else builder
    with _python_of_local_workers(scheduler):
        session = present or builder.getOrCreate()
    if present is None:
        session.sparkContext.setLogLevel("ERROR")
    register_spark()
    try:
        yield {}
    finally:
        if present is None:
            session.stop()


@contextmanager
def _python_of_local_workers(scheduler: str | None) -> Iterator[None]:
    """Workers of this machine run this Python; else Spark takes the first one in the path."""
    if not (scheduler or "local").startswith("local") or VARIABLE in os.environ:
        yield
        return
    os.environ[VARIABLE] = sys.executable
    try:
        yield
    finally:
        del os.environ[VARIABLE]
