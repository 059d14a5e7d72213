"""Sets of questions as their authors publish them, in the form that `loxodon bench` reads."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

Value = dict[str, Any]

_LOCOMO = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023
_LONGMEMEVAL = "%Y/%m/%d %H:%M"  # 2023/05/20 (Sat) 02:21


def in_our_form(value: Value) -> Value:
    if "haystack_sessions" in value:
        return _longmemeval(value)
    return _locomo(value) if "sample_id" in value else value


def _longmemeval(value: Value) -> Value:
    def day(text: str) -> str:
        return datetime.strptime(re.sub(r"\(\w+\) ", "", text), _LONGMEMEVAL).isoformat()

    sessions: list[Value] = []
    evidence: list[str] = []
    parts = (value[f"haystack_{one}"] for one in ("session_ids", "dates", "sessions"))
    for place, (name, at, turns) in enumerate(zip(*parts, strict=True)):
        id = f"{place}-{name}"  # a session may be there twice
        said = [
            {"id": f"{id}:{n}", "role": one["role"], "text": one["content"]}
            for n, one in enumerate(turns)
        ]
        evidence += [f"{id}:{n}" for n, one in enumerate(turns) if one.get("has_answer")]
        sessions.append({"id": id, "at": day(at), "turns": said})
    question = {
        "id": value["question_id"],
        "text": value["question"],
        "answer": value["answer"],
        "category": value["question_type"],
        "evidence": evidence,
        "asked_at": day(value["question_date"]),
    }
    sessions.sort(key=lambda one: str(one["at"]))
    return {"id": value["question_id"], "sessions": sessions, "questions": [question]}


def _locomo(value: Value) -> Value:
    talk, sessions = value["conversation"], []
    for name, at in talk.items():
        session = name.removesuffix("_date_time")
        if session != name and talk.get(session):
            sessions.append(
                {
                    "id": session.replace("session_", "D"),
                    "at": datetime.strptime(at, _LOCOMO).isoformat(),
                    "turns": [_said(one) for one in talk[session]],
                }
            )
    questions = [
        {
            "id": n,
            "text": one["question"],
            "answer": one.get("answer"),
            "category": one["category"],
            "evidence": one["evidence"],
        }
        for n, one in enumerate(value["qa"])
    ]
    return {"id": value["sample_id"], "sessions": sessions, "questions": questions}


def _said(turn: Value) -> Value:
    """A message; of a picture it has what the picture shows."""
    shows = f" [picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    text = turn["text"] + shows
    return {"id": turn["dia_id"], "role": "user", "speaker": turn["speaker"], "text": text}
