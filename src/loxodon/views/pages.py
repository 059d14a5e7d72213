"""The pages that are only shown: nothing of them is read back.

| file | shows |
|---|---|
| USER.md, layer1/snapshot.md | the profile, and what a conversation starts with |
| projects.md | facts and open plans of each project |
| daily/2026-02-04.md | what was said on a day, where it was said |
| segments/2026-02-04-001.md | what was said in a stretch of talk about one thing |
| layer2/{active,archive}/{facts,beliefs,summaries}.jsonl | every memory, one a line |
| tags.json | which facts and which segments have a tag |
| layer2/entities/ | whom and what the memories are about |
| layer2/index/ | active memories by keyword, month and entity |
| state/ | where consolidation stands, the ranking of the snapshot, what comes back next |
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from loxodon.clock import from_stored
from loxodon.messages import t
from loxodon.store import Filter
from loxodon.store.driver import plain
from loxodon.store.primary import PRIMARY_TABLES, JournalDay, Row
from loxodon.store.rows import COLUMNS, FLAGS, LISTS, TIMES, grouped, moment
from loxodon.text.markdown import one_line
from loxodon.text.words import fold
from loxodon.types import GLOBAL_PROJECT, Record, State
from loxodon.views.dump import held_back
from loxodon.views.manifest import VERSION, Planned, View, based_on, comment, mark
from loxodon.views.workspace import Workspace

PLURALS = {"fact": "facts", "belief": "beliefs", "summary": "summaries"}
_LABEL = 60  # characters of a name in a heading
_MOST = 200  # memories of a kind that the card of an entity names, the newest
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_WORK_TIMES = ("last_run", "last_success", "weekly_at")
_WORK_TOP = ("last_run", "last_success", "phase", "attempts")

Object = dict[str, Any]

# layer2: the files of memories, and the names and the order of fields there
_FOLDER: Mapping[State, str] = {"active": "active", "archived": "archive"}
FILES = {
    f"layer2/{folder}/{plural}.jsonl": kind
    for folder in _FOLDER.values()
    for kind, plural in PLURALS.items()
}
_NAMES = {
    "created_at": "created",
    "updated_at": "updated",
    "strength": "score",
    "strength_at": "score_at",
}
_FIRST = {
    "fact": "id content importance strength entities created_at",
    "belief": "id content confidence importance strength basis entities created_at",
    "summary": "id content importance strength derived_from entities created_at",
}
_THEN = ("strength_at", "updated_at", "version")
_DEFAULTS = {name: plain([value])[0] for name, value in Record._field_defaults.items()}


class Content:
    """What all pages are made from, at one moment of the store."""

    def __init__(self, workspace: Workspace, language: str) -> None:
        self.memory, self.store, self.zone = workspace.memory, workspace.store, workspace.zone
        self.space, self.language = self.store.space, language
        self.held = held_back(self.store)
        self.bases = self.store.primary.bases()

    def basis(self, begin: str = "") -> str:
        """Of the memories of a kind (`/fact/`), or of all."""
        of = [f"{n}:{self.bases[n]}" for n in sorted(self.bases) if n.startswith("memories/")]
        return "+".join([*(one for one in of if begin in one), self.held.basis()])

    @cached_property
    def facts(self) -> list[Record]:
        return [one for one in self.store.find(Filter(kind="fact")) if one.id not in self.held.ids]

    @cached_property
    def rows(self) -> list[Object]:
        columns = PRIMARY_TABLES["memories"].columns
        rows = self.held.rows("memories", self.store.primary.dump("memories"))
        return [dict(zip(columns, row, strict=True)) for row in rows]

    @cached_property
    def active(self) -> list[Object]:
        return [row for row in self.rows if row["state"] == "active"]

    @cached_property
    def segments(self) -> list[tuple[str, Row]]:
        """The segments, each with its id: its number counts those of a day as they were made."""
        days: Counter[str] = Counter()
        found = []
        for row in self.store.primary.dump("segments"):
            day = local_time(row[4], row[6])[:10]
            days[day] += 1
            found.append((f"{day}-{days[day]:03d}", row))
        return found

    @cached_property
    def facts_of_segments(self) -> Counter[int]:
        """How many facts were drawn from a segment, by its number."""
        facts = {row["row"] for row in self.rows if row["kind"] == "fact"}
        drawn: dict[str, list[tuple[int, int]]] = {}
        for memory, _, session, _, seq, *_ in self.store.primary.dump("memory_sources"):
            if seq is not None and memory in facts:
                insort(drawn.setdefault(session, []), (seq, memory))
        found: Counter[int] = Counter()
        for _, (no, session, first, last, *_) in self.segments:
            some = drawn.get(session, [])
            within = some[bisect_left(some, (first, 0)) : bisect_left(some, (last + 1, 0))]
            found[no] = len({memory for _, memory in within})
        return found

    @cached_property
    def about(self) -> dict[tuple[str, str], tuple[list[Object], list[Object]]]:
        """The active memories about each name and those that have it, by agent; newest first."""
        found: dict[tuple[str, str], tuple[list[Object], list[Object]]] = {}
        for row in reversed(self.active):
            subject = fold(row["subject"]) if row["subject"] else ""
            if subject:
                found.setdefault((row["agent"], subject), ([], []))[0].append(row)
            for name in {fold(one) for one in json.loads(row["entities"])} - {subject}:
                found.setdefault((row["agent"], name), ([], []))[1].append(row)
        return found

    @cached_property
    def layers(self) -> dict[str, list[str]]:
        """The lines of the files of all memories, by their names."""
        sources: dict[int, str] = {}
        for memory, _, session, turn, _, file, line in self.store.primary.dump("memory_sources"):
            sources.setdefault(memory, f"{file}:{line}" if file else f"{session}:{turn}")
        encode = json.JSONEncoder(ensure_ascii=False).encode
        found: dict[str, list[str]] = {name: [] for name in FILES}
        by_id = {row["id"]: row for row in self.rows}
        for row in self.rows:
            name = f"layer2/{_FOLDER[row['state']]}/{PLURALS[row['kind']]}.jsonl"
            line = _line_of(row, sources.get(row["row"], ""))
            if history := [*_replaced(row, by_id)]:
                line["history"] = history
            found[name].append(encode(line) + "\n")
        return found

    def layer(self, name: str) -> View:
        return View("".join(self.layers[name]))


def _replaced(row: Object, by_id: Mapping[str, Object]) -> Iterator[Object]:
    """What a memory took the place of, the latest first."""
    known = {row["id"]}
    while (row := by_id.get(row["replaces"], {})) and row["id"] not in known:
        known.add(row["id"])
        until = row["valid_until"] or row["updated_at"]
        score = round(row["strength"], 4)
        yield {"content": row["content"], "until": utc_time(until)[:10], "score": score}


def utc_time(milliseconds: int) -> str:
    """A stored moment: `2026-02-04T10:30:00Z`, milliseconds where there are."""
    return local_time(milliseconds, 0).removesuffix("+00:00") + "Z"


def local_time(milliseconds: int, offset: int) -> str:
    """A stored moment where it was said, minutes east of UTC: `2026-02-04T18:30:00+08:00`."""
    local = from_stored(milliseconds, offset)
    return local.isoformat(timespec="milliseconds" if local.microsecond else "seconds")


def views(content: Content) -> Iterator[Planned]:
    for name, kind in FILES.items():  # an active one tells what it replaced, too
        yield Planned(name, based_on(content.basis(f"/{kind}/")), partial(content.layer, name))
    for day in content.store.primary.days():
        name = f"daily/{day.date}{f'-{day.part}' if day.part > 1 else ''}.md"
        basis = based_on(day.turns, day.first, day.last, content.held.basis(day))
        yield Planned(name, basis, partial(_day, content, name, day))
    bases = [f"{name}:{content.bases[name]}" for name in sorted(content.bases)]
    basis = based_on(content.language, content.zone, *bases, content.held.basis())
    yield Planned("projects.md", basis, partial(_projects, content))
    for id, row in content.segments:
        yield Planned(f"segments/{id}.md", basis, partial(_segment, content, id, row))
    for name, document in (*_entities(content), *_indexes(content)):
        yield Planned(name, basis, partial(_json_page, content, name, document))
    for name, document in _state(content):
        yield Planned(name, "", partial(_json_page, content, name, document))
    yield from _profiles(content)


def _json_page(content: Content, name: str, make: Callable[[], Object]) -> View:
    # The mark of the file has the name `loxodon`.
    found = {"Loxodon" if key == "loxodon" else key: value for key, value in make().items()}
    whole = {"loxodon": mark(name, content.space), **found}
    return View(json.dumps(whole, ensure_ascii=False, indent=1) + "\n")


# Markdown


def _day(content: Content, name: str, day: JournalDay) -> View:
    """Every line of what was said stands behind `> `: nothing in it reads as anything else."""
    columns = PRIMARY_TABLES["turns"].columns
    parts = [comment(name, content.space), f"# {day.date}"]
    for row in content.store.primary.turns_of(day):
        turn = dict(zip(columns, content.held.shown(row), strict=True))
        at = local_time(turn["at"], turn["utc_offset"])[11:19]
        who = _label(turn["speaker"] or turn["role"])
        said = turn["content"].replace("\n", "\n> ")
        parts += [f"## {at} {who} · {_label(turn['session'])}", f"> {said}"]
    return View("\n\n".join(parts) + "\n")


def _label(text: str) -> str:
    """A name that is one short line, and neither a comment nor a tag."""
    return one_line(text)[:_LABEL].replace("<", "‹").replace(">", "›")


def _projects(content: Content) -> View:
    active = (one for one in content.facts if one.state == "active" and not one.done)
    named = ((one.project, one) for one in active if one.project not in ("", GLOBAL_PROJECT))
    projects = grouped(named)
    parts = [comment("projects.md", content.space), f"# {t('Projects', content.language)}"]
    for project in sorted(projects, key=lambda name: (fold(name), name)):
        parts.append(f"## {_label(project)}")
        # Plans come last, with a box.
        for one in sorted(projects[project], key=lambda one: one.category == "plan"):
            box = "[ ] " if one.category == "plan" else ""
            due = f" `due: {one.due_at:%Y-%m-%d}`" if box and one.due_at else ""
            parts.append(f"- {box}[{one.id}] {one_line(one.content)}{due}")
    return View("\n\n".join(parts) + "\n")


def _segment(content: Content, id: str, row: Row) -> View:
    no, session, _, _, started, ended, offset, topic, tags, text = row
    begin, end = local_time(started, offset), local_time(ended, offset)
    lines = [
        "---",
        "loxodon: segment",
        f"id: {id}",
        f"date: {begin[:10]}",
        f"time_range: {begin[11:16]}-{end[11:16]}",
        f"topic: {_yaml(topic)}",
        f"tags: [{', '.join(map(_yaml, json.loads(tags)))}]",
        f"fact_count: {content.facts_of_segments[no]}",
        f"session: {_yaml(session)}",
        f"started_at: {begin}",
        f"ended_at: {end}",
        f"space: {_yaml(content.space)}",
        f"version: {VERSION}",
        "---",
    ]
    return View("\n".join(lines) + f"\n\n{text}\n")


def _yaml(value: str) -> str:
    """A value of front matter: plain where YAML reads it as the same text, else in quotes."""
    if re.fullmatch(r"[^\W\d_][\w \-./+]*(?<! )", value) and value.casefold() not in _WORDS:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff]", lambda odd: f"\\u{ord(odd[0]):04x}", quoted)


def _profiles(content: Content) -> Iterator[Planned]:
    """As consolidation last made them; where what they tell of has changed since, made now."""
    from loxodon.consolidate.pages import profile as profile_of

    store, memory, language = content.store, content.memory, content.language

    def page(name: str, make: Callable[[], str]) -> View:
        return View(f"{comment(name, content.space)}\n\n{make()}\n")

    for name, kept, make in (
        ("USER.md", "profile", lambda: profile_of(store, memory.now(), language)),
        ("layer1/snapshot.md", "snapshot", lambda: memory.snapshot(language)),
    ):
        found = store.worklog.page(kept, language)
        basis = based_on(language, found[2].timestamp() if found else 0, content.basis())
        yield Planned(name, basis, partial(page, name, make))


# JSON lines


def _line_of(row: Object, source: str) -> Object:
    kind = row["kind"]
    first = (*_FIRST[kind].split(), *_THEN)
    found: Object = {}
    for name in (*first, *(one for one in COLUMNS if one not in first)):
        value = row[name]
        if name in ("kind", "state") or (name not in first and value == _DEFAULTS.get(name)):
            continue
        if value is not None and (name in TIMES or name == "strength_at"):
            value = utc_time(value)
        elif name in LISTS:
            whom = [row["subject"]] if name == "entities" and row["subject"] else []
            value = json.loads(value) or whom
        elif name in FLAGS:
            value = bool(value)
        of_summary = name == "derived_from" and kind == "summary"
        found["source_facts" if of_summary else _NAMES.get(name, name)] = value
        if name == "created_at" and source:
            found["source"] = source
    return found


# JSON


def _entities(content: Content) -> Iterator[tuple[str, Callable[[], Object]]]:
    entities = list(content.store.primary.dump("entities"))

    def card(row: Row) -> Object:
        no, name, type, aliases, created, updated, agent = row
        return {
            "id": f"e_{no:03d}",
            "name": name,
            "type": type,
            "aliases": json.loads(aliases),
            **({"agent": agent} if agent else {}),
            "created": utc_time(created),
            "updated": utc_time(updated),
        }

    def make(row: Row) -> Object:
        about, named = content.about.get((row[6], fold(row[1])), ([], []))
        attributes: Object = {}
        for one in about:
            lasts = one["positive"] and one["category"] not in ("event", "plan", "decision")
            if one["kind"] == "fact" and one["attribute"] and one["value"] and lasts:
                since = utc_time(one["confirmed_at"] or one["created_at"])
                attributes.setdefault(one["attribute"], {"value": one["value"], "updated": since})
        ids: dict[str, list[str]] = {kind: [] for kind in PLURALS}
        for one in (*about, *named):
            ids[one["kind"]].append(one["id"])
        related = {f"related_{PLURALS[kind]}": some[:_MOST] for kind, some in ids.items()}
        return {**card(row), "attributes": attributes, **related}

    yield "layer2/entities/_index.json", lambda: {"entities": list(map(card, entities))}
    for row in entities:
        yield f"layer2/entities/e_{row[0]:03d}.json", partial(make, row)


def _indexes(content: Content) -> Iterator[tuple[str, Callable[[], Object]]]:
    def keywords() -> Object:
        """By word, and by those that a Chinese one is made of: 花生过敏, 花生, 过敏."""
        from rjieba import cut  # takes a third of a second, once

        found = dict.fromkeys(content.store.query("labels", "keyword"))
        parts = ((part, id) for name, id in found for part in cut(name, False) if len(part) > 1)
        return grouped(found | dict.fromkeys(parts))

    def timeline() -> Object:
        """By the month since which a memory holds, or in which it was made; the newest first."""
        found = []
        for row in content.active:
            since = row["created_at"] if row["valid_from"] is None else row["valid_from"]
            at = moment(since, content.zone)
            found.append((f"{at.year:04d}-{at.month:02d}", at, row["row"], row["id"]))
        return grouped((month, id) for month, _, _, id in sorted(found, reverse=True))

    def relations() -> Object:
        from loxodon.consolidate.read import is_user

        found: dict[str, dict[str, list[str]]] = {}
        for row in content.active:
            names = {row["subject"], *json.loads(row["entities"])} - {""}
            for name in {"user" if is_user(one) else one for one in names}:
                of = found.setdefault(name, {plural: [] for plural in PLURALS.values()})
                of[PLURALS[row["kind"]]].append(row["id"])
        return dict(sorted(found.items()))

    def tags() -> Object:
        facts = [row for row in content.active if row["kind"] == "fact"]
        tagged = [("insights", row["id"], row["tags"], row["updated_at"]) for row in facts]
        tagged += [("segments", id, row[8], row[5]) for id, row in content.segments]
        index: dict[str, dict[str, list[str]]] = {}
        for where, id, names, _ in tagged:
            for tag in json.loads(names):
                index.setdefault(tag, {"insights": [], "segments": []})[where].append(id)
        last = max((at for *_, at in tagged), default=0)
        meta = {
            "last_updated": utc_time(last) if last else None,
            "total_tags": len(index),
            "total_entries": sum(bool(json.loads(names)) for _, _, names, _ in tagged),
        }
        return {"meta": meta, "index": dict(sorted(index.items()))}

    yield "tags.json", tags
    yield "layer2/index/keywords.json", keywords
    yield "layer2/index/timeline.json", timeline
    yield "layer2/index/relations.json", relations


def _state(content: Content) -> Iterator[tuple[str, Callable[[], Object]]]:
    primary = content.store.primary

    def consolidation() -> Object:
        values: dict[str, str] = dict(primary.dump("meta"))
        work = json.loads(values.get("consolidation", "{}"))
        work |= {name: utc_time(work[name]) for name in _WORK_TIMES if work.get(name) is not None}
        return {
            "last_run": work.get("last_run"),
            "last_success": work.get("last_success"),
            "current_phase": work.get("phase") or None,
            "phase_data": {name: value for name, value in work.items() if name not in _WORK_TOP},
            "retry_count": work.get("attempts", 0),
        }

    def rankings() -> Object:
        snapshots = [row for row in primary.dump("pages") if row[0] == "snapshot"]
        if not snapshots:
            return {"updated": None, "rankings": []}
        _, _, made_at, _, basis = max(snapshots, key=lambda row: row[2])
        ranking = json.loads(basis).get("ranking", {})
        ranks = [{"rank": n, "id": id, "score": s} for n, (id, s) in enumerate(ranking.items(), 1)]
        return {"updated": utc_time(made_at), "rankings": ranks}

    def pending() -> Object:
        last: dict[str, int] = {}
        for id, _, _, at in content.held.rows("memory_uses", primary.dump("memory_uses")):
            last[id] = max(at, last.get(id, at))
        used = [(content.store.get(id), at) for id, at in last.items()]
        items = [
            {"type": record.kind, "id": record.id, "triggered_at": utc_time(at)}
            for record, at in used
            if record is not None and record.state == "archived"
        ]
        return {"items": items}

    yield "state/consolidation.json", consolidation
    yield "state/rankings.json", rankings
    yield "state/pending_activate.json", pending
