"""Small cases for the tests of measuring how a memory is written."""

from __future__ import annotations

from typing import Any

Line = dict[str, Any]


def said(content: str, session: str = "s1", day: int = 4, role: str = "user") -> Line:
    at = f"2026-02-{day:02}T10:30:00+00:00"
    return {"session": session, "at": at, "role": role, "content": content}


def check(type: str, **groups: Any) -> Line:
    return {"type": type, **groups}


def mover() -> Line:
    """Somebody who moves, and says again what they are allergic to."""
    return {
        "id": "mover",
        "about": "a move",
        "turns": [
            said("I live in Leeds. I'm allergic to peanuts."),
            said("Noted!", role="assistant"),
            said("I moved to York. I'm allergic to peanuts.", "s2", 20),
        ],
        "checks": [
            check("add", present="peanuts"),
            check("supersede", present=[["York"]], absent=[["lives in Leeds"]]),
            check("repeat", once=[["peanuts", "nuts"]]),
            check("never", absent=["noted"]),
            check("retract", absent=["lives in Bath"]),
        ],
    }


def cook() -> Line:
    """A case in which two checks fail."""
    return {
        "id": "cook",
        "turns": [said("我叫张三，我住在北京")],
        "checks": [
            check("add", present=["张三"]),
            check("add", present=["厨师"]),
            check("never", absent=["北京"]),
        ],
    }
