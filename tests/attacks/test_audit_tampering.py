"""Whatever someone without the key does to the log, its head or signed memories is found.

And what nobody tampered with is never found, whatever kills and power cuts it went through.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from loxodon.config import Config
from loxodon.trust.audit import trail
from loxodon.trust.rest.keys import Keys, mac_with
from tests.attacks.audit_home import (
    Spoilt,
    Tampering,
    audit_of,
    built,
    lines_of,
    live,
    opened,
    verified,
)
from tests.long import count, figure

CASES = count(45, 1_050)
HONEST = count(6, 240)


# The log


def cut_bytes(spoilt: Spoilt) -> None:
    data = spoilt.logs[-1].read_bytes()
    spoilt.logs[-1].write_bytes(data[: -spoilt.rng.randint(1, len(data))])


def cut_lines(spoilt: Spoilt) -> None:
    lines = lines_of(spoilt.logs[-1])
    spoilt.logs[-1].write_bytes(b"".join(lines[: -spoilt.rng.randint(1, len(lines))]))


def cut_whole_files(spoilt: Spoilt) -> None:
    logs = spoilt.logs
    for log in logs[-spoilt.rng.randint(1, len(logs) - 1) :]:
        log.unlink()


def flip_a_bit(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    data = bytearray(log.read_bytes())
    data[spoilt.rng.randrange(len(data))] ^= 1 << spoilt.rng.randrange(8)
    log.write_bytes(data)


def remove_a_line(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    lines = lines_of(log)
    del lines[spoilt.rng.randrange(len(lines))]
    log.write_bytes(b"".join(lines))


def remove_some_lines(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    lines = lines_of(log)
    start = spoilt.rng.randrange(len(lines))
    del lines[start : start + spoilt.rng.randint(1, 5)]
    log.write_bytes(b"".join(lines))


def insert_a_line(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    lines = lines_of(log)
    at = spoilt.rng.randrange(len(lines) + 1)
    found = json.loads(spoilt.rng.choice(lines))
    found |= {"n": found["n"] + spoilt.rng.randint(-1, 3), "op": "get", "ids": ["f_20260101_001"]}
    found["mac"] = spoilt.rng.randbytes(16).hex()
    lines.insert(at, json.dumps(found, separators=(",", ":")).encode() + b"\n")
    log.write_bytes(b"".join(lines))


def insert_what_is_no_line(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    lines = lines_of(log)
    junk = spoilt.rng.choice([b"\n", b"{}\n", b"null\n", b"\x00" * 50 + b"\n", b"# ok\n", b"[1]\n"])
    lines.insert(spoilt.rng.randrange(len(lines) + 1), junk)
    log.write_bytes(b"".join(lines))


def swap_two_lines(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    lines = lines_of(log)
    one, other = spoilt.rng.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    log.write_bytes(b"".join(lines))


def duplicate_a_line(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    lines = lines_of(log)
    line = spoilt.rng.choice(lines)
    lines.insert(spoilt.rng.randrange(len(lines) + 1), line)
    log.write_bytes(b"".join(lines))


def edit_a_field(spoilt: Spoilt) -> None:
    log = spoilt.some_log()
    lines = lines_of(log)
    at = spoilt.rng.randrange(len(lines))
    found = json.loads(lines[at])
    name = spoilt.rng.choice(["n", "at", "surface", "op", "ids", "after", "agent", "outcome"])
    if name == "n":
        found[name] += spoilt.rng.choice([-1, 1, 10, 10**30])
    elif name == "ids":
        found[name] = ["f_20260101_007"]
    else:
        found[name] = str(found.get(name, "")) + "x"
    mac = found.pop("mac")
    lines[at] = json.dumps({**found, "mac": mac}, separators=(",", ":")).encode() + b"\n"
    log.write_bytes(b"".join(lines))


def rewrite_with_a_guessed_key(spoilt: Spoilt) -> None:
    """The whole chain from some line on, as one who knows the code but not the key."""
    rng = spoilt.rng
    guesses = [b"", b"\0" * 32, b"loxodon", hashlib.sha256(b"audit").digest(), rng.randbytes(32)]
    mac = mac_with(rng.choice(guesses))
    log = spoilt.logs[-1]
    lines = lines_of(log)
    at = rng.randrange(len(lines))
    prev = json.loads(lines[at - 1])["mac"] if at else json.loads(lines[0])["prev"]
    n = json.loads(lines[at])["n"] - 1
    kept = lines[:at]
    for line in lines[at + 1 :]:
        entry = json.loads(line)
        del entry["mac"]
        n += 1
        data, prev = trail.line_of({**entry, "n": n}, prev, mac)
        kept.append(data)
    log.write_bytes(b"".join(kept))
    number = int(log.stem)
    if rng.random() < 0.7:
        head = trail.Head(n, prev, number, log.stat().st_size, synced=n, boot="x")
        spoilt.head.write_bytes(trail.head_bytes(head, mac))


def rewrite_without_a_key(spoilt: Spoilt) -> None:
    """With plain digests, as if it were no keyed hash."""
    log = spoilt.some_log()
    lines = lines_of(log)
    at = spoilt.rng.randrange(len(lines))
    entry = json.loads(lines[at])
    prev = json.loads(lines[at - 1])["mac"] if at else ""
    del entry["mac"]
    entry["op"] = "nothing"
    body = json.dumps(entry, separators=(",", ":")).encode()[:-1]
    digest = hashlib.sha256(prev.encode() + body).hexdigest()[:32]
    lines[at] = body + b',"mac":"' + digest.encode() + b'"}\n'
    log.write_bytes(b"".join(lines))


# Files and heads


def replay_an_older_log(spoilt: Spoilt) -> None:
    shutil.rmtree(spoilt.space / "audit")
    shutil.copytree(spoilt.old / "spaces/main/audit", spoilt.space / "audit")


def replay_an_older_log_and_head(spoilt: Spoilt) -> None:
    replay_an_older_log(spoilt)
    shutil.copy(spoilt.old / "audit/main.head", spoilt.head)


def replay_an_older_head(spoilt: Spoilt) -> None:
    """And cut the log as far as that head allows."""
    shutil.copy(spoilt.old / "audit/main.head", spoilt.head)
    last = json.loads(spoilt.head.read_bytes().replace(b'"mac"', b'"sum"'))
    for log in spoilt.logs:
        if int(log.stem) > last["file"]:
            log.unlink()
        elif int(log.stem) == last["file"]:
            log.write_bytes(log.read_bytes()[: last["end"]])


def take_the_log_of_another_space(spoilt: Spoilt) -> None:
    shutil.rmtree(spoilt.space / "audit")
    shutil.copytree(spoilt.home / "spaces/other/audit", spoilt.space / "audit")
    if spoilt.rng.random() < 0.5:
        shutil.copy(spoilt.home / "audit/other.head", spoilt.head)


def splice_lines_of_another_space(spoilt: Spoilt) -> None:
    other = spoilt.rng.choice(sorted((spoilt.home / "spaces/other/audit").glob("*.log")))
    log = spoilt.some_log()
    lines, theirs = lines_of(log), lines_of(other)
    at = spoilt.rng.randrange(len(lines))
    lines[at : at + spoilt.rng.randint(0, 3)] = spoilt.rng.sample(theirs, 2)
    log.write_bytes(b"".join(lines))


def delete_the_log(spoilt: Spoilt) -> None:
    for log in spoilt.logs:
        log.unlink()


def delete_the_head(spoilt: Spoilt) -> None:
    spoilt.head.unlink()


def delete_log_and_head(spoilt: Spoilt) -> None:
    shutil.rmtree(spoilt.space / "audit")
    shutil.rmtree(spoilt.home / "audit")


def spoil_the_head(spoilt: Spoilt) -> None:
    data = bytearray(spoilt.head.read_bytes())
    match spoilt.rng.randrange(4):
        case 0:
            data = bytearray()
        case 1:
            data = data[: spoilt.rng.randrange(len(data))]
        case 2:
            data += b" "
        case _:
            data[spoilt.rng.randrange(len(data))] ^= 1 << spoilt.rng.randrange(8)
    spoilt.head.write_bytes(data)


def forge_a_head(spoilt: Spoilt) -> None:
    """Lower numbers under the old hash, to go with a cut log."""
    lines = lines_of(spoilt.logs[-1])
    kept = lines[: spoilt.rng.randrange(1, len(lines))] if len(lines) > 1 else []
    spoilt.logs[-1].write_bytes(b"".join(kept))
    text = spoilt.head.read_bytes()
    head = json.loads(text.replace(b'"mac"', b'"sum"'))
    end = str(head["end"]).encode()
    new = str(sum(map(len, kept))).encode()
    spoilt.head.write_bytes(text.replace(b'"end":' + end, b'"end":' + new).ljust(len(text)))


def truncate_an_older_file(spoilt: Spoilt) -> None:
    log = spoilt.rng.choice(spoilt.logs[:-1])
    data = log.read_bytes()
    log.write_bytes(data[: spoilt.rng.randrange(len(data))])


def remove_an_older_file(spoilt: Spoilt) -> None:
    spoilt.rng.choice(spoilt.logs[:-1]).unlink()


def swap_two_files(spoilt: Spoilt) -> None:
    one, other = spoilt.rng.sample(spoilt.logs, 2)
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)


def cut_below_what_was_synced_and_reboot(spoilt: Spoilt) -> None:
    """A power cut explains what was never synced, and nothing more. What the database has of it
    would be put back, and so has to go, or to be of another place."""
    other = spoilt.logs[0].read_bytes().partition(b"\n")[2]
    how = spoilt.rng.choice(("DELETE FROM audit_tail", "UPDATE audit_tail SET lines = ?"))
    spoilt.sql((how, (other,) if "?" in how else ()))
    mac = mac_with(Keys(str(spoilt.home)).key("audit", "main"))
    head = trail.head_of(spoilt.head.read_bytes(), mac)
    assert head is not None
    log = spoilt.logs[-1]
    lines = lines_of(log)
    while lines and json.loads(lines[-1])["n"] >= head.synced:
        lines.pop()
    log.write_bytes(b"".join(lines))
    spoilt.head.write_bytes(trail.head_bytes(head._replace(boot="another"), mac))


# The database


def change_the_anchor(spoilt: Spoilt) -> None:
    value = spoilt.rng.choice(["3:00:1:0:0", "100000:ff:1:0:0"])
    assert spoilt.sql(("UPDATE meta SET value = ? WHERE name = 'audit'", (value,)))


def edit_a_sensitive_memory(spoilt: Spoilt) -> None:
    row = spoilt.rng.choice(spoilt.sensitive())
    column, value = spoilt.rng.choice(
        [
            ("content", "transfer everything"),
            ("sensitivity", "low"),
            ("audience", "all"),
            ("trust", "web"),
            ("entities", '["x"]'),
            ("valid_until", 5),
            ("agent", "other"),
        ]
    )
    assert spoilt.sql((f"UPDATE memories SET {column} = ? WHERE row = ?", (value, row)))


def edit_its_history(spoilt: Spoilt) -> None:
    changed = spoilt.sql(
        (
            "UPDATE memory_changes SET before = json_set(before, '$.content', 'was never so') "
            "WHERE (memory, version) IN (SELECT c.memory, c.version FROM memory_changes c JOIN "
            "signatures s ON s.memory = c.memory AND s.version = c.version - 1 "
            "WHERE c.before IS NOT NULL ORDER BY random() LIMIT 1)",
            (),
        )
    )
    assert changed


def edit_what_was_done(spoilt: Spoilt) -> None:
    row = spoilt.rng.choice(spoilt.sensitive())
    how = spoilt.rng.choice(["change = 'imported'", "at = at - 1000"])
    assert spoilt.sql((f"UPDATE memory_changes SET {how} WHERE memory = ?", (row,)))


def drop_its_signatures(spoilt: Spoilt) -> None:
    row = spoilt.rng.choice(spoilt.sensitive())
    assert spoilt.sql(("DELETE FROM signatures WHERE memory = ?", (row,)))


def take_a_signature_of_another(spoilt: Spoilt) -> None:
    rows = spoilt.sensitive()
    one, other = spoilt.rng.sample(rows, 2)
    assert spoilt.sql(
        (
            "UPDATE signatures SET mac = (SELECT mac FROM signatures WHERE memory = ? LIMIT 1) "
            "WHERE memory = ?",
            (other, one),
        )
    )


LOG: tuple[Tampering, ...] = (
    cut_bytes,
    cut_lines,
    cut_whole_files,
    flip_a_bit,
    flip_a_bit,
    flip_a_bit,
    remove_a_line,
    remove_some_lines,
    insert_a_line,
    insert_what_is_no_line,
    swap_two_lines,
    duplicate_a_line,
    edit_a_field,
    edit_a_field,
    rewrite_with_a_guessed_key,
    rewrite_without_a_key,
    replay_an_older_log,
    replay_an_older_log_and_head,
    replay_an_older_head,
    take_the_log_of_another_space,
    splice_lines_of_another_space,
    delete_the_log,
    delete_the_head,
    delete_log_and_head,
    spoil_the_head,
    forge_a_head,
    truncate_an_older_file,
    remove_an_older_file,
    swap_two_files,
    cut_below_what_was_synced_and_reboot,
)
DATABASE: tuple[Tampering, ...] = (
    change_the_anchor,
    edit_a_sensitive_memory,
    edit_its_history,
    edit_what_was_done,
    drop_its_signatures,
    take_a_signature_of_another,
)
ALL = (*LOG, *DATABASE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return built(tmp_path_factory.mktemp("audit"), random.Random(7))


def test_what_nobody_touched_is_sound(home: tuple[Path, Path]) -> None:
    found = verified(home[0])
    assert found.sound, found
    assert not found.notices
    assert found.signed > 10
    assert found.entries > count(50, 100)
    assert verified(home[0], "other").sound


def test_a_database_that_was_rolled_back_is_for_validate_to_tell(
    home: tuple[Path, Path], tmp_path: Path
) -> None:
    """To the log it is one that was restored."""
    here = tmp_path / "old"
    shutil.copytree(home[0], here)
    shutil.copy(home[1] / "spaces/main/loxodon.db", here / "spaces/main/loxodon.db")
    assert verified(here).sound
    with opened(here) as memory:
        assert "acknowledged writes are missing" in " ".join(one.what for one in memory.validate())


def test_every_tampering_is_found(home: tuple[Path, Path], tmp_path: Path) -> None:
    missed, seen, went_on = [], Counter[str](), 0
    for case in range(CASES):
        rng = random.Random(case)
        tamper = ALL[case % len(ALL)]
        here = tmp_path / "spoilt"
        shutil.copytree(home[0], here)
        tamper(Spoilt(here, home[1], rng))
        if rng.random() < 0.4:  # the owner notices nothing, and goes on
            went_on += 1
            with opened(here) as memory:
                memory.capture(f"said later {case}")
                memory.recall("tea")
        found = verified(here)
        if found.sound:
            missed.append((case, tamper.__name__))
        seen.update({one.kind for one in found.findings})
        shutil.rmtree(here)
    figure(
        "audit_tamperings",
        cases=CASES,
        found=CASES - len(missed),
        kinds=len(set(ALL)),
        gone_on=went_on,
    )
    assert not missed
    assert len(seen) >= 8, seen


# What nobody tampered with


_BUSY = """
import sys, random
from pathlib import Path
from tests.attacks.audit_home import live, opened
rng = random.Random(int(sys.argv[2]))
with opened(Path(sys.argv[1])) as memory:
    print("ready", flush=True)
    while True:
        live(memory, rng, 1)
        print("done", flush=True)
"""


def busy(home: Path, seed: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _BUSY, str(home), str(seed)], stdout=subprocess.PIPE, text=True
    )


def kill_some(home: Path, rng: random.Random) -> None:
    """One or several who write at once are killed in the middle of it."""
    workers = [busy(home, rng.randrange(1 << 30)) for _ in range(rng.choice((1, 1, 2)))]
    for worker in workers:
        assert worker.stdout is not None
        for _ in range(rng.randint(1, count(6, 25))):
            assert worker.stdout.readline()
    for worker in workers:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        assert worker.stdout is not None
        worker.stdout.close()


def lose_power(home: Path, rng: random.Random) -> None:
    """What was not synced may be missing, to any byte; the head is one that was written since."""
    folder, head_file = home / "spaces/main/audit", home / "audit/main.head"
    heads = []
    with opened(home) as memory:
        memory.capture("kept for sure")
        memory.get(memory.list(limit=1)[0].id)
        heads.append(head_file.read_bytes())
        for _ in range(rng.randint(1, 6)):
            memory.recall("tea", 3)
            heads.append(head_file.read_bytes())
        mac = audit_of(memory).mac()
        _, _, file, synced, *_ = memory._store.anchor.split(":")
        memory._used.clear()  # it is cut off: nothing is written while it closes
    head = trail.head_of(rng.choice(heads), mac)
    newest = trail.head_of(heads[-1], mac)
    assert head is not None
    assert newest is not None
    log = folder / trail.file_name(newest.file)
    if newest.file == head.file == int(file):
        data = log.read_bytes()
        kept = rng.randint(int(synced), len(data))
        zeros = b"\0" * (len(data) - kept) if rng.random() < 0.3 else b""
        log.write_bytes(data[:kept] + zeros)
    head_file.write_bytes(trail.head_bytes(head._replace(boot="an earlier one"), mac))


def forget_something(home: Path, rng: random.Random) -> None:
    with opened(home) as memory:
        known = memory.list(limit=30)
        if known:
            memory.forget(rng.choice(known).id)


def restore_it(home: Path, rng: random.Random) -> None:
    from loxodon.workspace.views.restore import restore

    with opened(home) as memory:
        memory.workspace.export()
        source = memory.workspace.path
    restore(source, home=str(home), space="main", config=Config(), replace=True)


def go_on(home: Path, rng: random.Random) -> None:
    with opened(home) as memory:
        live(memory, rng, rng.randint(1, count(5, 20)))


def let_files_go(home: Path, rng: random.Random) -> None:
    with opened(home) as memory:
        audit = audit_of(memory)
        audit.settings = audit.settings._replace(keep=rng.randint(1, 4))
        live(memory, rng, count(12, 30))


HAPPENINGS = (kill_some, lose_power, forget_something, restore_it, go_on, let_files_go)


def test_what_nobody_tampered_with_never_alarms(tmp_path: Path) -> None:
    happened = Counter[str]()
    home = tmp_path / "home"
    for case in range(HONEST):
        rng = random.Random(1_000 + case)
        if case % 12 == 0:
            shutil.rmtree(home, ignore_errors=True)
            with opened(home) as memory:
                live(memory, rng, 10)
        happens = HAPPENINGS[case % len(HAPPENINGS)]
        happens(home, rng)
        happened[happens.__name__] += 1
        found = verified(home)
        assert found.sound, (case, happens.__name__, found)
        go_on(home, rng)
        found = verified(home)
        assert found.sound, (case, happens.__name__, "and on", found)
    figure("audit_untouched", cases=HONEST, alarms=0, **happened)
