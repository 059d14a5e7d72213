"""The core profile: the hundred things that matter most, by section, and what a week changed.

Renewed once a week or when asked, in the words of the memories; a model may word the portrait.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from loxodon.consolidate.phrases import phrases
from loxodon.consolidate.snapshot import holds
from loxodon.consolidate.themes import about, sentence
from loxodon.guard.provenance import OWN, is_own
from loxodon.guard.quarantine import HIDDEN
from loxodon.language.statements import USER
from loxodon.messages import LANGUAGES, t
from loxodon.store import Change, Filter, QuarantinedText
from loxodon.store.store import Store
from loxodon.text import quote
from loxodon.text.markdown import item
from loxodon.types import GLOBAL_PROJECT, Record

if TYPE_CHECKING:
    from loxodon.consolidate.model_reading import ModelReader

PROFILE = "profile"
WEEK = timedelta(days=7)
ENTRIES = 100
IMPORTANT = 0.7
LISTED = 20  # Changes that the profile shows; the newest
_READ = 1_000
_LASTING = ("identity", "config", "credential")

# A memory as it stands, what happened to it (`new`, `now`, `over`, `faded`), and when
ProfileChange = tuple[Record, str, datetime]


def profile(store: Store, now: datetime, language: str) -> str:
    """The profile as it was last written; made now where something in it may not hold any more."""
    language = language if language in LANGUAGES else LANGUAGES[0]
    page = store.worklog.page(PROFILE, language)
    if page is not None:
        text, _, made = page
        changes = store.query_as(Change, "changes_since", made)
        untrue = phrases()["changes"]["untrue"].split()
        if not any(change in untrue and at > made for _, change, at in changes):
            return text
    return profile_text(*_known(store, now), "", language)


def renew_profile(store: Store, now: datetime, model: ModelReader | None) -> None:
    """Write the profile anew in every language."""
    chosen, changes = _known(store, now)
    portrait = model.portrait(chosen, [one for one, *_ in changes]) if model else ""
    with store.writing():
        for language in LANGUAGES:
            text = profile_text(chosen, changes, portrait, language)
            store.worklog.put_page(PROFILE, language, text, "{}", now)


def _known(store: Store, now: datetime) -> tuple[list[Record], list[ProfileChange]]:
    with store.reading():
        found = store.find(Filter(state="active", trust=OWN), _READ, strongest=True)
        return core(found, now), _week(store, now - WEEK)


def _week(store: Store, since: datetime) -> list[ProfileChange]:
    """The last change of each memory, oldest first; none of one that came and went."""
    held = {
        one.memory
        for state in HIDDEN
        for one in store.query_as(QuarantinedText, "quarantined_by_state", state)
    }
    last: dict[str, tuple[str, datetime]] = {}
    added: set[str] = set()
    words = phrases()["changes"]
    kinds = {name: kind for kind in ("new", "now", "over", "faded") for name in words[kind].split()}
    changes = store.query_as(Change, "changes_since", since)
    for id, name, at in sorted(changes, key=lambda one: one[2]):
        if name in kinds and id not in held:
            last[id] = kinds[name], at
            added |= {id} if kinds[name] == "new" else set()
    found = []
    for id, (change, at) in last.items():
        record = store.get(id)
        if record is None or record.kind == "summary" or not is_own(record.trust):
            continue
        went = change in ("over", "faded")
        if id not in added if went else record.state == "active":
            found.append((record, "new" if id in added else change, at))
    return found


def core(records: Iterable[Record], now: datetime) -> list[Record]:
    """The hundred most important: who the user is and how things are set up first. Summaries would
    say their facts again, and stay out."""
    facts = [one for one in records if one.kind != "summary" and one.importance >= IMPORTANT]
    places = [
        (one.category not in _LASTING, -one.importance, -one.strength, one.id, one)
        for one in facts
        if holds(one, now)
    ]
    return [one for *_, one in sorted(places)[:ENTRIES]]


def profile_text(
    core: Sequence[Record], changes: Sequence[ProfileChange], portrait: str, language: str
) -> str:
    """The profile as Markdown: the portrait, the core by section, and the week's changes."""
    headings = {
        "who": t("## Who", language),
        "health": t("## Health", language),
        "replies": t("## How to reply", language),
        "people": t("## People", language),
        "work": t("## Work and study", language),
        "preferences": t("## Preferences", language),
        "projects": t("## Projects and settings", language),
        "plans": t("## Plans", language),
        "other": t("## Other", language),
        "week": t("## This week", language),
    }
    sections: dict[str, list[str]] = {name: [] for name in headings}
    # What is known of one person stands together; the user's own first
    for record in sorted(core, key=lambda one: about(one).casefold().replace(USER, "")):
        said = sentence(record)
        if record.kind == "belief":
            said = t("{what} (not certain)", language, what=said)
        sections[_section(record)].append(f"- {item(quote.line(said))}")
    for record, change, at in sorted(changes, key=lambda one: one[2], reverse=True)[:LISTED]:
        what = {
            "new": t("new: {what}", language, what=sentence(record)),
            "now": t("now: {what}", language, what=sentence(record)),
            "over": t("no longer so: {what}", language, what=sentence(record)),
            "faded": t("faded: {what}", language, what=sentence(record)),
        }[change]
        sections["week"].append(f"- {at.date()} {item(quote.line(what))}")
    lines = ["", item(quote.line(portrait))] if portrait else []
    for name, entries in sections.items():
        if entries:
            lines += ["", headings[name], *dict.fromkeys(entries)]
    label = [f"> {quote.label(language)}"] if lines else []
    return "\n".join([t("# Profile", language), *label, *lines])


def _section(record: Record) -> str:
    """By the attribute or the category; what is of a project or of somebody else is by that."""
    words = {record.attribute, record.category}
    if not words & {"health", "plan"} and record.project not in ("", GLOBAL_PROJECT):
        return "projects"
    if about(record) not in (USER, "") and words & {"relation", "identity", "status"}:
        return "people"
    fitting = (name for name, known in phrases()["sections"].items() if words & {*known.split()})
    return next(fitting, "other")
