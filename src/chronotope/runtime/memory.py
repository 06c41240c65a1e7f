"""The memory limit, and the memory in use."""

import re
from dataclasses import dataclass
from typing import Self

from chronotope.errors import SettingsError

LEAST_ADDRESS_SPACE = 4 * 10**9
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmg]i?|t)?b?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Memory:
    """A limit in bytes on the memory of this process; None: no limit."""

    limit: int | None = None

    @classmethod
    def of(cls, size: str | int | None) -> Self:
        """Parse a limit: 2GB, 500MB, 1.5 GiB, or a number of bytes.

        >>> Memory.of("2GB").limit, Memory.of("1.5gib").limit, Memory.of(None).limit
        (2000000000, 1610612736, None)
        >>> Memory.of("a lot")
        Traceback (most recent call last):
        chronotope.errors.SettingsError: cannot read 'a lot' as an amount of memory; write for instance 2GB or 500MB
        """
        if size is None or isinstance(size, int):
            return cls(size)
        match = _SIZE.fullmatch(size)
        if not match:
            raise SettingsError(f"cannot read '{size}' as an amount of memory; write for instance 2GB or 500MB")
        return cls(int(float(match[1]) * _UNITS[(match[2] or "").lower()]))

    def check(self, what: str) -> None:
        """Raise SettingsError if memory exceeds the limit by more than 10 %."""
        if self.limit is not None and resident() > 1.1 * self.limit:
            limit = in_words(self.limit)
            raise SettingsError(f"{what} does not fit into {limit} of memory; allow more (--memory), or give less text")

    def room_for(self, needed: int, what: str) -> int:
        """Return the number of bytes left, `needed` if there is no limit; raise SettingsError if fewer than needed."""
        if self.limit is None:
            return needed
        used = resident()
        if used + needed > self.limit:
            limit, least = in_words(self.limit), in_words(-(-(used + needed) // 10**8) * 10**8)
            more = f"it needs {least} or more (--memory {least.replace(' ', '')})"
            raise SettingsError(f"{what} does not fit into {limit} of memory; {more}")
        return self.limit - used


def check_address_space(least: int = LEAST_ADDRESS_SPACE) -> None:
    """Raise MemoryError if `ulimit -v` is so low that libraries would abort when they reserve addresses."""
    import psutil

    if hasattr(psutil, "RLIMIT_AS"):
        limit = psutil.Process().rlimit(psutil.RLIMIT_AS)[0]
        if 0 <= limit < least:
            raise MemoryError(f"ulimit -v allows {limit / 1e9:.1f} GB of addresses, and {in_words(least)} are needed")


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def in_words(size: int) -> str:
    """Format an amount of memory: '1.2 GB', '500 MB'."""
    return f"{size / 1e9:g} GB" if size >= 10**9 else f"{size / 1e6:g} MB"
