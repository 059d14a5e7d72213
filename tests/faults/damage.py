"""What happens to files on a disk in time: bits flip, sectors go, pages end up elsewhere."""

from __future__ import annotations

from random import Random

KINDS = ("bit", "byte", "bytes", "sector", "swapped", "doubled", "torn", "cut")
_SECTOR = 512


def damaged(data: bytes, rng: Random, kind: str, page: int, start: int = 0) -> bytes:
    """`data` with one damage of a kind; pages are `page` bytes each and begin at `start`."""
    found = bytearray(data)
    if kind == "bit":
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        found[rng.randrange(len(found))] ^= rng.randrange(1, 256)
    elif kind == "bytes":
        at = rng.randrange(len(found) - 16)
        found[at : at + 16] = rng.randbytes(16)
    elif kind == "sector":
        at = rng.randrange(len(found) // _SECTOR) * _SECTOR
        found[at : at + _SECTOR] = bytes(_SECTOR)
    elif kind == "cut":
        del found[rng.randrange(len(found) // 2, len(found)) :]
    else:
        _move_pages(found, rng, kind, page, start)
    return bytes(found)


def _move_pages(found: bytearray, rng: Random, kind: str, page: int, start: int) -> None:
    count = (len(found) - start) // page
    if count < 2:
        return
    one, other = (start + n * page for n in rng.sample(range(count), 2))
    kept = bytes(found[one : one + page])
    if kind == "swapped":
        found[one : one + page] = found[other : other + page]
        found[other : other + page] = kept
    elif kind == "doubled":
        found[other : other + page] = kept
    else:  # torn: the first sectors of a page are those of another write
        sectors = rng.randrange(1, max(2, page // _SECTOR)) * _SECTOR
        found[other : other + sectors] = kept[:sectors]
