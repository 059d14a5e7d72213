"""The programs in examples/ run, as a user would run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loxodon import Memory
from tests.models.server import KEY, answers, says, stage

CHAT = Path(__file__).parents[1] / "examples" / "chat.py"


@pytest.mark.parametrize(
    ("language", "known", "question", "reply"),
    [
        ("en", "My cat is called Biscuit", "What is my cat called?", "Biscuit."),
        ("zh", "我的猫叫豆包", "我的猫叫什么？", "叫豆包。"),
    ],
)
def test_chat_recalls_asks_and_adds(
    tmp_path: Path, language: str, known: str, question: str, reply: str
) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.add([{"role": "user", "content": known}])
    with stage() as model:
        model.play(says(reply), answers(400, b'{"error": {"message": "no such luck"}}'))
        done = subprocess.run(
            [sys.executable, CHAT, "--model=test", f"--lang={language}", f"--home={tmp_path}/home"],
            input=f"{question}\n/why\n{question}\n",
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "OPENAI_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
                "OPENAI_API_KEY": KEY,
            },
        )
    assert done.returncode == 0, done.stderr
    assert f"> {reply}\n" in done.stdout
    assert known in done.stdout  # /why
    assert "no such luck" in done.stdout
    system, asked = model.requests[0].body["messages"]
    assert system["role"] == "system"
    assert known in asked["content"]
    assert asked["content"].endswith(question)
    assert [one["content"] for one in model.requests[1].body["messages"][1:3]] == [question, reply]
    with Memory.open(tmp_path / "home") as memory:
        turns = [(one.role, one.content) for one in memory.journal()]
        assert turns == [
            ("user", known),
            ("user", question),
            ("assistant", reply),
            ("user", question),
        ]
        assert not memory.schedule.waiting()
