"""How a receipt tells a person what went: counts by place, in their language."""

from __future__ import annotations

from collections.abc import Mapping

from loxodon.messages import t


def counted(erased: Mapping[str, int]) -> str:
    """`turns 2, memories 1`; what a receipt has under a name that is not known here as it is."""
    names = _names()
    return ", ".join(f"{names.get(name, name)} {n}" for name, n in erased.items()) or t("nothing")


def _names() -> dict[str, str]:
    return {
        "turns": t("turns"),
        "parts of turns": t("parts of turns"),
        "memories": t("memories"),
        "summaries": t("summaries"),
        "versions": t("earlier versions"),
        "segments": t("segments"),
        "fragments": t("fragments"),
        "work in hand": t("work in hand"),
        "events": t("events"),
        "entities": t("entities"),
        "names": t("names"),
        "documents": t("documents"),
        "pages": t("pages"),
        "quarantine": t("held back"),
        "jobs": t("jobs"),
        "sessions": t("names of sessions"),
        "channels": t("names of channels"),
        "transcripts": t("transcripts"),
        "edited copies": t("edited copies"),
        "views out of use": t("views out of use"),
        "damaged records": t("damaged records"),
        "databases set aside": t("databases set aside"),
        "files": t("files"),
        "tokens": t("access tokens"),
    }
