"""What a command takes, as the table has it and as it is typed."""

from __future__ import annotations

import pytest

from loxodon.serve.cli import table
from loxodon.serve.cli.parser import parse
from loxodon.serve.cli.table import COMMANDS, Command, spelled
from loxodon.verbs.arguments import FLAG, TEXT, WHOLE, WORDS
from loxodon.verbs.table import BY_NAME


def made(*lines: str) -> Command:
    return Command("", "try", "Try it.", lines)


def test_an_argument_is_written_as_it_is_typed() -> None:
    flag, number, many, choice, renamed, free = made(
        "--yes  do not ask",
        "--top N = 10  how many",
        "--me NAME…  a name",
        "ACTION=add|list  what to do",
        "--for TIME as length = ''  how long",
        "[QUERY…]  any text",
    ).takes
    assert (flag.kind, flag.name) == (FLAG, "yes")
    assert (number.kind, number.default) == (WHOLE, 10)
    assert (many.kind, many.typed) == (TEXT, "--me NAME…")
    assert (choice.kind, choice.name) == (("add", "list"), "action")
    assert (renamed.name, renamed.typed, renamed.default) == ("length", "--for TIME", "")
    assert (free.kind, free.name) == (WORDS, "query")


def test_what_verbs_take_can_be_reworded_and_stand_under_a_heading() -> None:
    command = made("@TOP @BUDGET", "more:", "@CHAT = direct  who hears it")
    assert [one.name for one in command.parts[""]] == ["top", "budget"]
    (chat,) = command.parts["more"]
    assert (chat.default, chat.about) == ("direct", "who hears it")
    typed = "--top N, --budget TOKENS, --chat direct|group|room"
    assert ", ".join(map(spelled, command.takes)) == typed


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_names_a_verb_and_options_that_there_are(name: str) -> None:
    command = COMMANDS[name]
    assert command.verb in BY_NAME or not command.verb
    names = [one.name for one in command.takes]
    assert len(names) == len(set(names))
    assert set(command.one_of.split()) <= set(names)
    assert all(one.about for one in command.takes)


def test_what_is_typed_is_parsed_by_the_table() -> None:
    args = parse(["forget", "f_1", "f_2", "--also", "Ann", "--also", "Annie", "--dry-run"])
    assert (args.ids, args.also) == (["f_1", "f_2"], ["Ann", "Annie"])
    assert (args.dry_run, args.entity) == (True, "")
    args = parse(["capture", "-x", "is", "free", "text", "--tags", "a，b", "--importance", "0.5"])
    assert args.text == ["-x", "is", "free", "text"]
    assert (args.tags, args.importance) == (["a", "b"], 0.5)
    assert parse(["journal"]).query == []


def test_every_shared_part_is_used() -> None:
    assert [name for name in table._SHARED if name not in table._TABLE] == []
