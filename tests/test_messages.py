"""Every sentence a person may be told stands in both languages, with the same values in it."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

from loxodon import errors, messages
from loxodon.cli.commands import MODULES, OPTIONS, TABLE, command_named
from loxodon.config import described
from loxodon.types import ENTITY_TYPES

SOURCE = Path(messages.__file__).parent
# What can be done to a memory, as its history says it.
CHANGES = """
captured imported edited archived unarchived learned held late updated repeated renamed superseded
corrected retracted merged confirmed doubted denied unsettled rejected used returned faded expired
renewed reworded outdated
"""
# What fields, columns and counts are called; any other goes by its name in English
LABELS = (
    "connected|not connected|not found|resumed|trusted to|left out|"
    "asked|forgotten|paused|claimed|unfound|last at|next at|counts|failures|turns ahead|"
    "about|action|active|added|agent|alike|all questions|also called|archived|around|asked|"
    "asks|assistant|attribute|audited|backups|belief|believed|budget|bytes|category|"
    "changed|chat|checks|chunks|cleared|confidence|confirmed|conflicts|corrected|critical|"
    "daily|days|decay|decided|denied|doubted|edited|embed|embedded|embedding|encrypted|"
    "entities|error|events|expected|expired|fact|faded|failed|failing|family|file|"
    "file note|fit|folder|format|found by|held|high|hint|history|home|how|"
    "how many|id|importance|indexed|job|key|kind|kinds|known|label|last|last consolidation|"
    "last turn at|late|learned|ledger|lifted|link|linked|list|low|made|meaning|medium|"
    "memories|memory|merged|message|missing|model|models|n|name|new|next|next consolidation|"
    "notes|now|order|outcome|overall|past|path|pending|present|problem|problems|"
    "profile|profiles|put away|questions|read|reason|recency|recent|redated|related|"
    "reminders|removed|repeated|retracted|returned|reviews|right|rights|role|runs|same|search|"
    "seconds|seen|sessions|setting|settings|share|since|size|skipped|snapshots|soul|sources|"
    "space|spaces|speaker|state|store|strength|summaries|summary|superseded|tags|text|"
    "then|there|time|tokens|top|total|trigger|trust|turn|turns|type|unarchived|unchanged|"
    "unsettled|updated|user|validity|value|vector|view|views|waiting|what|"
    "what it did|what it does|when|where|which|who|why|words|written|yes no|"
    "parts of turns|versions|segments|documents|quarantine|jobs|transcripts|views out of use|"
    "files|fragments|access tokens|found|created at|updated at|audience|"
    "subject|topic|sensitivity|valid from|valid until|confirmed at|expires at|version|at|change|"
    "record|aliases|by|erased|routes|question|language|focus|keywords|considered|score|factors|"
    "fate|due|succeeded at|entries|first|content|receipt|candidates|tense|weekly|op|ids|"
    "surface|start|end|shown|private|copy|backup|away|session|done|taken|without a counterpart"
)

PARSED = (  # what argparse says, in the words of its own source
    "usage: |positional arguments|options|show this help message and exit|"
    "unrecognized arguments: %s|the following arguments are required: %s|"
    "argument %(argument_name)s: %(message)s|invalid %(type)s value: %(value)r|"
    "invalid choice: %(value)r (choose from %(choices)s)|expected one argument|"
    "expected at least one argument|not allowed with argument %s|ignored explicit argument %r"
)

ERRORS = {name for name, value in vars(errors).items() if isinstance(value, type)}
ERRORS |= {"RefusedError"}  # of the servers

Sentence = tuple[str, str]  # A sentence and its plural, which is empty where it counts nothing


@cache
def _catalogue() -> dict[Sentence, str]:
    """The Chinese for each sentence, as the catalogue has it."""
    po = (SOURCE / "locale" / "zh" / "LC_MESSAGES" / "loxodon.po").read_text("utf-8")
    found: dict[Sentence, str] = {}
    for entry in po.split("\n\n")[1:]:
        fields = {"msgid": "", "msgid_plural": "", "msgstr": "", "msgstr[0]": ""}
        name = ""
        for line in filter(lambda line: not line.startswith("#"), entry.splitlines()):
            keyword, _, text = line.partition('"')
            name = keyword.strip() or name
            fields[name] += json.loads(f'"{text}')
        sentence = fields["msgid"], fields["msgid_plural"]
        assert sentence not in found, sentence
        found[sentence] = fields["msgstr[0]" if sentence[1] else "msgstr"]
    return found


def _said_in(tree: ast.AST) -> set[Sentence]:
    """The literals handed to `t(…)`, `tn(…)` and errors, and every `hint` and `message`."""
    said = set()
    nodes = [*ast.walk(tree)]
    for node in nodes:
        if isinstance(node, ast.Assign):
            pairs = [(getattr(one, "elts", [one])) for one in (node.targets[0], node.value)]
            for name, value in zip(*pairs, strict=False):
                if getattr(name, "id", "") in ("hint", "message"):
                    nodes.append(ast.Call(ast.Name(""), [], [ast.keyword("hint", value)]))
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
        named = {k.arg: k.value for k in node.keywords}
        speaks = name in ("t", "tn") or name in ERRORS
        plural = node.args[1] if name == "tn" else named.get("plural")
        first = node.args[0] if node.args and speaks else None
        for one, many in ((first, plural), (named.get("hint"), None)):
            for each in (one.body, one.orelse) if isinstance(one, ast.IfExp) else (one,):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    said.add(
                        (each.value, str(many.value) if isinstance(many, ast.Constant) else "")
                    )
    return said


@cache
def _said() -> frozenset[Sentence]:
    found, said = set[Sentence](), set[str]()
    for path in SOURCE.rglob("*.py"):
        found |= _said_in(ast.parse(path.read_text("utf-8")))
    for command in map(command_named, MODULES):
        said |= {command.about, command.said, command.note}
        said |= {how["help"] for _, how in command.added}
        said |= {one.about for one in command.arguments}
    said |= {TABLE["epilog"], *TABLE["groups"], *LABELS.split("|"), *PARSED.split("|")}
    said |= {one for texts in TABLE["said"].values() for one in texts.values()}
    said |= {text for one in described().values() for text in (one.about, one.hint)}
    said |= {"it must be text", *CHANGES.split(), *ENTITY_TYPES}
    said |= {*OPTIONS.values(), errors.INSTALL}
    return frozenset(found | {(one, "") for one in said}) - {("", "")}


def test_every_sentence_has_a_chinese_one() -> None:
    assert sorted(_said() - _catalogue().keys()) == []
    assert [one for one, chinese in _catalogue().items() if not chinese] == []


def test_no_chinese_sentence_is_left_over() -> None:
    assert sorted(_catalogue().keys() - _said()) == []


def test_both_have_the_same_values() -> None:
    def values(text: str) -> set[str]:
        return set(re.findall(r"{(\w+)}", text))

    wrong = [
        one
        for (one, many), chinese in _catalogue().items()
        if not values(one) == values(many or one) == values(chinese)
    ]
    assert wrong == []


def test_the_catalogue_is_sorted() -> None:
    """So that two people who add to it do not both add at its end."""
    assert list(_catalogue()) == sorted(_catalogue())
    assert len({one for one, _ in _catalogue()}) == len(_catalogue())


def test_the_language_of_the_process_is_used_unless_one_is_given() -> None:
    assert messages.t("nothing found", "zh") == _catalogue()["nothing found", ""]
    messages.use("zh")
    try:
        assert messages.t("nothing found") == _catalogue()["nothing found", ""]
        assert messages.t("nothing found", "en") == "nothing found"
    finally:
        messages.use("en")
    for name, language in (("zh_CN.UTF-8", "zh"), ("C", "en"), ("tlh", "en"), ("", "en")):
        messages.use(name)
        assert messages.current() == language
    messages.use("en")


def test_an_error_speaks_both_languages() -> None:
    error = errors.NotFoundError(
        "no memory with the id {id}", hint="list the memories with `loxodon list`", id="f_1"
    )
    assert str(error) == "no memory with the id f_1"
    assert error.hint == "list the memories with `loxodon list`"
    message, hint = error.localized("zh")
    assert "f_1" in message
    assert "loxodon list" in hint


def test_plurals() -> None:
    turns = "{n} turn consolidated in {seconds} s", "{n} turns consolidated in {seconds} s"
    said = [messages.tn(*turns, n, "en", seconds=2).split(" con")[0] for n in (0, 1, 11)]
    assert said == ["0 turns", "1 turn", "11 turns"]
    assert "11" in messages.tn(*turns, 11, "zh", seconds=2)
    error = errors.InputError(
        "cannot use {file}: {n} invalid line",
        plural="cannot use {file}: {n} invalid lines",
        file="a",
        n=1,
    )
    assert str(error) == "cannot use a: 1 invalid line"
    assert error.localized("zh")[0] == "a 有 1 行无法使用，不能用来测量"
