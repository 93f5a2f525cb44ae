"""How much memory there is for this process, and what is raised where there is too little."""

from __future__ import annotations

import os
from pathlib import Path

#: what the system's loader says of a library for which there is no room
NO_ROOM = ("failed to map segment", "cannot allocate memory")


def address_limit() -> int | None:
    """The bytes of addresses that the process may have (``ulimit -v``); None without a limit."""
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def free_memory() -> int:
    """Bytes that can be had without others being pushed out."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            known = dict(line.split(":", 1) for line in lines)
        free = int(known["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):  # no Linux: a half of all there is
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return min(free, address_limit() or free)


def is_lack_of_memory(error: BaseException) -> bool:
    """Whether an error says that there is too little memory.

    Examples
    --------
    >>> is_lack_of_memory(ImportError("libx.so: failed to map segment from shared object"))
    True
    >>> is_lack_of_memory(ImportError("No module named 'x'"))
    False
    """
    if isinstance(error, ImportError):
        return any(words in str(error).lower() for words in NO_ROOM)
    return isinstance(error, MemoryError)
