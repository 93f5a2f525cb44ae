"""Connections to clusters whose joblib backends do the fits: Dask, Ray and Spark."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["connected"]

#: seconds to wait for a scheduler to answer
PATIENCE = 15


@contextmanager
def connected(backend: str, scheduler: str | None) -> Iterator[dict[str, Any]]:
    """A connection, and what joblib's backend must be told of it.

    One that is there already (a Dask client, a started Ray, a Spark session) is used when no
    scheduler is named, and left as it was.
    """
    connect = {"dask": _dask, "ray": _ray, "spark": _spark}[backend]
    with connect(scheduler) as options:
        yield options


@contextmanager
def _dask(scheduler: str | None) -> Iterator[dict[str, Any]]:
    try:
        from distributed import Client, get_client

        made: Any = Client
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
        client: Any = made(scheduler, timeout=PATIENCE)
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
            ray.init(address=scheduler, log_to_driver=False)
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
    builder = SparkSession.builder.appName("karat")
    session = present or (builder.master(scheduler) if scheduler else builder).getOrCreate()
    register_spark()
    try:
        yield {}
    finally:
        if present is None:
            session.stop()
