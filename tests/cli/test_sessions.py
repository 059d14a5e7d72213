"""Sessions at the command line, as `sessions.jsonl` has them: what is typed, and what is said.

A line of a session types a command (`do`) and says what must come of it: its exit `code`, texts
that it `says` or `lacks`, its whole output (`is`), or what is in its JSON (`json`, `keys`). Others
do to files what a person or an accident would. `{dir}` is the folder of the session, whose memory
is in `home`.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases
from tests.cli.shell import Shell

HERE = Path(__file__).parent
SESSIONS = dict.fromkeys(
    json.loads(line)["of"] for line in (HERE / "sessions.jsonl").read_text("utf-8").splitlines()
)


@pytest.mark.parametrize("name", SESSIONS)
def test_session(tmp_path: Path, name: str) -> None:
    shell = Shell(tmp_path / "home")
    for n, line in enumerate(cases(__file__, name)):
        try:
            _typed(shell, tmp_path, **line) if "do" in line else _happened(tmp_path, **line)
        except AssertionError as error:
            raise AssertionError(f"line {n} of {name}: {line}\n{error}") from None


def _typed(shell: Shell, folder: Path, do: str, code: int = 0, **line: Any) -> None:
    words = [
        word.format(dir=folder, here=HERE) if "{" in word else word for word in shlex.split(do)
    ]
    environment = {"LANG": "zh_CN.UTF-8"} if line.get("zh") else {}
    environment |= {"LOXODON_NOW": line["now"]} if "now" in line else {}
    done = shell(*words, code=code, given=line.get("given", "").encode(), **environment)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err
    _says(out + err, **line)
    if line.get("silent"):
        assert out == ""
    if line.get("quiet"):
        json.loads(out)
        assert err == ""
        assert shell(*words[:-1]).stdout
    if line.get("chinese"):
        assert any("\u4e00" <= character <= "\u9fff" for character in out)
    if isinstance(line.get("is"), str):
        assert out == line["is"]
    if isinstance(line.get("is"), dict | list):
        assert json.loads(out) == line["is"]
    if "json" in line or "keys" in line:
        found = json.loads(out)
        if "keys" in line:
            assert set(found) == set(line["keys"])
        _has(found, line.get("json", {}))


def _says(text: str, says: list[str] = [], lacks: list[str] = [], **_: Any) -> None:  # noqa: B006
    assert [one for one in says if one not in text] == [], text
    assert [one for one in lacks if one in text] == [], text


def _has(found: Any, wanted: Any, at: str = "") -> None:
    """That a document has what is wanted: these keys of an object, and a list that begins so."""
    if isinstance(wanted, dict):
        assert isinstance(found, dict), at
        for key, value in wanted.items():
            _has(found[key], value, f"{at}.{key}")
    elif isinstance(wanted, list) and wanted:
        assert len(found) >= len(wanted), (at, found)
        for n, value in enumerate(wanted):
            _has(found[n], value, f"{at}[{n}]")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-3), at
    else:
        assert found == wanted, at


def _happened(folder: Path, **line: Any) -> None:
    """What is done to files beside the memory."""
    if "file" in line:
        path = folder / line["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(line["text"], "utf-8")
    elif "swap" in line:
        path = folder / line["swap"]
        text = path.read_text("utf-8")
        assert line["old"] in text
        path.write_text(text.replace(line["old"], line["new"]), "utf-8")
    elif "sql" in line:
        with sqlite3.connect(folder / "home/spaces/main/loxodon.db") as database:
            database.execute(line["sql"])
    elif "remove" in line:
        (folder / line["remove"]).unlink()
    elif "gone" in line:
        assert not (folder / line["gone"]).exists()
    else:
        _says((folder / line["reads"]).read_text("utf-8"), **line)
