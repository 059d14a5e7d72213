"""What can be typed. Only the parser of the command that was asked for is built: a cold recall
should not pay for twenty others."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn

from loxodon.errors import UsageError
from loxodon.messages import current, t
from loxodon.types import AUDIENCES, CATEGORIES, CHATS, KINDS

Build = Callable[[argparse.ArgumentParser], None]

_FREE_TEXT = frozenset({"recall", "context", "journal", "capture", "tag", "policy"})
_SHIELD = "\0"  # which nobody can type: arguments end at it
_FLAGS = {"--json": "json", "--reveal": "reveal", "--relays-user": "relays"}
_TAKEN = (("--agent", ["openclaw"]), ("--agent", ["token"]), ("--relays-user", ["token"]))
"""Global options that commands have for something else of theirs."""
_OPTIONS = ("--home", "--space", "--agent", "--now")


class _Parser(argparse.ArgumentParser):
    """argparse, but its complaints are ours: an exit code, a hint, and JSON where asked for."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("{message}", hint="see `{prog} --help`", message=message, prog=self.prog)


def _formatter(prog: str) -> argparse.HelpFormatter:
    # With a width of its own, argparse does not load shutil and three compressors to find one.
    try:
        width = os.get_terminal_size().columns
    except OSError:
        width = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=width - 2)


def whole(text: str) -> int:
    """The type of options that count."""
    with suppress(ValueError):
        if (value := int(text)) >= 0:
            return value
    raise argparse.ArgumentTypeError(
        t("must be a whole number, 0 or more, not {value}", value=repr(text))
    )


def number(text: str) -> float:
    """The type of options with a fraction."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            t("must be a number, not {value}", value=repr(text))
        ) from None


def _speak() -> None:
    """argparse says its own sentences through a function that it calls `_`, which would load what
    knows about locales and look for files that nobody has."""
    known = _ARGPARSE if current() == "zh" else {}
    argparse._ = lambda text: known.get(text, text)  # type: ignore[attr-defined]
    argparse.ngettext = (  # type: ignore[attr-defined]
        lambda one, many, n: known.get(one, one if n == 1 else many)
    )


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its arguments; the global options may stand before or after it."""
    _speak()
    shared, rest = _shared_options(list(argv))
    if not rest or rest[0] in ("-h", "--help", "help"):
        if len(rest) > 1 and rest[0] == "help" and rest[1] != "all":
            rest = [rest[1], "--help"]
        else:
            return argparse.Namespace(command="help", all=rest[1:] == ["all"], **shared)
    if rest[0] in ("-V", "--version"):
        return argparse.Namespace(command="version", **shared)
    name = rest[0]
    if name not in COMMANDS:
        from loxodon.serve.cli.help import ALIASES, unknown

        if name not in ALIASES:
            raise unknown(name, list(COMMANDS))
        name = ALIASES[name]
    about, build = COMMANDS[name]
    parser = _Parser(
        prog=f"loxodon {name}",
        description=t(about),
        allow_abbrev=False,
        formatter_class=_formatter,
        epilog=t(
            "Also: --home DIR, --space NAME, --agent NAME, --now ISO, --json; see `loxodon --help`."
        ),
    )
    build(parser)
    if {"-h", "--help"} & set(rest[1:]):
        return argparse.Namespace(command="usage", text=parser.format_help(), **shared)
    args = parser.parse_args([_shielded(name, word) for word in rest[1:]])
    for key, value in vars(args).items():
        setattr(args, key, _bared(value))
    args.command = name
    for key, value in shared.items():
        setattr(args, key, value)
    return args


def _shielded(command: str, word: str) -> str:
    """Text that begins with a dash is text where a command takes any text, not an option."""
    if command not in _FREE_TEXT or word[:1] != "-" or word[:2] == "--" or word in ("-", "-h"):
        return word
    return word if word[1:].replace(".", "", 1).isdecimal() else _SHIELD + word


def _bared(value: object) -> object:
    if isinstance(value, list):
        return [_bared(one) for one in value]
    return value.removeprefix(_SHIELD) if isinstance(value, str) else value


def _shared_options(argv: list[str]) -> tuple[dict[str, str | bool], list[str]]:
    """The global options, wherever they stand, and the rest; what follows `--` is text."""
    shared: dict[str, str | bool] = {
        "home": "",
        "space": "main",
        "as_agent": "",
        "now": "",
        "json": False,
        "reveal": False,
        "relays": False,
    }
    rest: list[str] = []
    while argv:
        word = argv.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            return shared, [*rest, word, *argv]
        if word in _FLAGS and (word, rest[:1]) not in _TAKEN:
            shared[_FLAGS[word]] = True
        elif name in _OPTIONS and (name, rest[:1]) not in _TAKEN:
            if not equals:
                if not argv:
                    raise UsageError("{name} needs a value", hint="see `loxodon --help`", name=name)
                value = argv.pop(0)
            shared["as_agent" if name == "--agent" else name[2:]] = value
        else:
            rest.append(word)
    return shared, rest


def _id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help=t("id of the memory, such as f_20260204_001"))


def _id_and_version(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument(
        "--version",
        type=whole,
        metavar="N",
        help=t("fail if the memory is no longer at this version"),
    )


def _nothing(parser: argparse.ArgumentParser) -> None:
    """A command without arguments."""


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="+", help=t("a file, or - for standard input")
    )
    parser.add_argument(
        "--format",
        choices=("jsonl", "openclaw", "markdown", "chat"),
        help=t("format of the file; detected if omitted"),
    )
    about = t("session for messages that name none (default: the file name)")
    parser.add_argument("--session", default="", metavar="NAME", help=about)
    about = t("your name in the file; can be repeated, and can be given later for the same file")
    parser.add_argument("--me", action="append", default=[], metavar="NAME", help=about)
    parser.add_argument(
        "--skip-bad", action="store_true", help=t("add the valid lines and report the others")
    )


def _fields(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--importance", type=number, metavar="0..1", help=t("how much it matters (0.5)")
    )
    parser.add_argument("--confidence", type=number, metavar="0..1", help=t("how certain it is"))
    parser.add_argument(
        "--entities", type=names_of, metavar="A,B", help=t("people, places or projects it is about")
    )
    parser.add_argument("--tags", type=names_of, metavar="A,B", help=t("tags"))
    parser.add_argument("--project", metavar="NAME", help=t("the project it belongs to"))
    parser.add_argument("--topic", metavar="NAME", help=t("the topic within the project"))
    parser.add_argument(
        "--category",
        choices=CATEGORIES,
        metavar="NAME",
        help=t("one of {names}", names=", ".join(CATEGORIES)),
    )
    parser.add_argument(
        "--audience",
        choices=AUDIENCES,
        help=t("who may see it: private (only you), group (group chats too) or all"),
    )
    about = t("when it expires: 2026-12-31, tomorrow, in two weeks, 下个月底, never")
    parser.add_argument("--expires", metavar="WHEN", help=about)


def _capture(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", metavar="TEXT", nargs="+", help=t("what to remember, or - for standard input")
    )
    parser.add_argument(
        "--type",
        choices=("fact", "belief"),
        default="fact",
        help=t("a fact, or a belief that is not certain"),
    )
    _fields(parser)


def _edit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--done", choices=("yes", "no"), help=t("whether a plan is done"))
    _id_and_version(parser)
    parser.add_argument(
        "--content",
        metavar="TEXT",
        help=t("the new text, or - for standard input; without any option, your editor opens"),
    )
    _fields(parser)


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=(*KINDS, "turn", "note"), help=t("only this kind"))
    parser.add_argument("--project", metavar="NAME", help=t("only in this project"))
    parser.add_argument("--topic", metavar="NAME", help=t("only on this topic"))
    parser.add_argument("--tag", metavar="NAME", help=t("only with this tag"))
    parser.add_argument(
        "--entity", metavar="NAME", help=t("only about this person, place or thing")
    )


def _times(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since", metavar="WHEN", help=t("from this time on: 2026-02-04, 上周三, 3 days ago")
    )
    parser.add_argument("--until", metavar="WHEN", help=t("up to this time, including that day"))


def _recall(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query", metavar="QUERY", nargs="+", help=t("any text; there is no query syntax")
    )
    parser.add_argument("--top", type=whole, metavar="N", help=t("maximum number of items (10)"))
    parser.add_argument(
        "--budget", type=whole, metavar="TOKENS", help=t("maximum number of tokens (1000)")
    )
    parser.add_argument("--explain", action="store_true", help=t("explain why each item was found"))
    parser.add_argument(
        "--profile", metavar="NAME", help=t("use this ranking (setting recall.profile)")
    )
    _chat(parser)
    _filters(parser)
    _times(parser)
    parser.add_argument(
        "--as-of",
        metavar="WHEN",
        help=t("what was known at this time: 2026-02-04, 上周三, 3 days ago"),
    )


def _context(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "message", metavar="MESSAGE", nargs="+", help=t("the message, or - for standard input")
    )
    parser.add_argument(
        "--budget", type=whole, metavar="TOKENS", help=t("maximum number of tokens (4000)")
    )
    parser.add_argument("--top", type=whole, metavar="N", help=t("maximum number of memories (10)"))
    parser.add_argument(
        "--soul", metavar="FILE", help=t("file that describes the agent (default: SOUL.md)")
    )
    parser.add_argument(
        "--workspace", metavar="DIR", help=t("folder of SOUL.md (default: the home)")
    )
    about = t("show why each part was chosen, and its tokens, instead of the text")
    parser.add_argument("--explain", action="store_true", help=about)
    _chat(parser)


def _chat(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--chat",
        choices=CHATS,
        default="direct",
        help=t("who sees the answer; group leaves out private memories"),
    )


def _journal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query", metavar="QUERY", nargs="*", help=t("any text; there is no query syntax")
    )
    parser.add_argument("--on", metavar="WHEN", help=t("only from that day, week or month"))
    _times(parser)
    parser.add_argument("--session", metavar="NAME", help=t("only from this session"))
    parser.add_argument("--limit", type=whole, metavar="N", help=t("show the latest N (0 for all)"))


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--state",
        choices=("active", "archived", "all"),
        default="active",
        help=t("which memories to list (default: active)"),
    )
    _filters(parser)
    parser.add_argument("--audience", choices=AUDIENCES, help=t("only what this audience may see"))
    parser.add_argument("--limit", type=whole, metavar="N", help=t("show the latest N (0 for all)"))


def _tag(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument(
        "changes", metavar="+TAG|-TAG", nargs="+", help=t("+a adds the tag a, -b removes the tag b")
    )


def _unarchive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        metavar="ID",
        nargs="?",
        default="",
        help=t("id of the memory, such as f_20260204_001"),
    )
    parser.add_argument(
        "--version",
        type=whole,
        metavar="N",
        help=t("fail if the memory is no longer at this version"),
    )
    parser.add_argument(
        "--run",
        metavar="WHEN",
        help=t(
            "restore everything that this run archived because of its age; "
            "`loxodon clock` lists the runs"
        ),
    )


def _clock(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--right", action="store_true", help=t("confirm that the clock is right"))


def _consolidate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--force",
        action="store_true",
        help=t("run even if nothing is pending, or after three failures"),
    )
    parser.add_argument(
        "--if-due", action="store_true", help=t("run only if it is due; for use in a timer")
    )
    parser.add_argument("--phase", type=whole, metavar="N", help=t("run only this phase, 1 to 7"))
    about = t("also show the questions to the model and what they changed")
    parser.add_argument("--model-report", action="store_true", help=about)


def _model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("check",), help=t("test the model with ten sentences in each language")
    )


def _embed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", action="store_true", help=t("only show the progress"))


_OTHERS = ("relayed", "import", "assistant", "group", "tool", "web")
"""Where memories come from that are not the owner's own word."""


def _review(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--confirm", metavar="ID", help=t("this belief is true: make it a fact"))
    which.add_argument(
        "--reject",
        metavar="ID",
        help=t("this belief is wrong: drop it; or undo a request to forget (q_…)"),
    )
    which.add_argument(
        "--confirm-all",
        choices=_OTHERS,
        metavar="ORIGIN",
        dest="confirm_all",
        help=t("everything from this origin is true: {origins}", origins=", ".join(_OTHERS)),
    )
    parser.add_argument(
        "--version",
        type=whole,
        metavar="N",
        help=t("fail if the memory is no longer at this version"),
    )
    parser.add_argument("--yes", action="store_true", help=t("do not ask for confirmation"))


def _quarantine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "decision",
        nargs="?",
        choices=("release", "drop"),
        help=t(
            "release shows it again, with its origin; drop hides it forever; without either, list"
        ),
    )
    parser.add_argument("id", metavar="ID", nargs="?", help=t("id of the entry, such as q_12"))
    parser.add_argument(
        "--all", action="store_true", help=t("also show released and dropped entries")
    )
    parser.add_argument(
        "--limit",
        type=whole,
        default=50,
        metavar="N",
        help=t("maximum number of entries, newest first (50)"),
    )


def _policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("check", "scan"),
        help=t(
            "check shows how a text would be treated; scan looks for stored "
            "data that the policy forbids; without either, list the kinds"
        ),
    )
    parser.add_argument(
        "text", metavar="TEXT", nargs="*", help=t("the text, or - for standard input")
    )
    parser.add_argument("--mend", action="store_true", help=t("remove what scan finds"))


def _entities(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help=t("any name of the entity"))


def _profile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--refresh", action="store_true", help=t("rebuild it now, as the weekly job does")
    )


def _schedule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run",
        metavar="JOB",
        help=t("run this job now: flush, daily, weekly, profile or heartbeat"),
    )


def _config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "key", metavar="KEY", nargs="?", help=t("name of a setting; lists all if omitted")
    )
    parser.add_argument("value", metavar="VALUE", nargs="?", help=t("its new value"))
    parser.add_argument("--unset", action="store_true", help=t("reset the setting to its default"))


def _bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("retrieval", "writing"), help=t("what to measure"))
    about = t("labelled conversations, or - for standard input")
    parser.add_argument("file", metavar="FILE", nargs="+", help=about)
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help=t("override a setting; can be repeated"),
    )
    parser.add_argument(
        "--limit",
        type=whole,
        default=0,
        metavar="N",
        help=t("only the first N conversations of each file (0 for all)"),
    )
    parser.add_argument(
        "--jobs", type=whole, default=1, metavar="N", help=t("number of parallel processes (1)")
    )
    _bench_writing(parser.add_argument_group("writing"))
    _bench_retrieval(parser.add_argument_group("retrieval"))


def _bench_writing(parser: argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--failures", action="store_true", help=t("list the conversations that failed a check")
    )
    parser.add_argument(
        "--only",
        metavar="TEXT",
        default="",
        help=t("only conversations whose id contains this text"),
    )
    about = t("also use the configured model, which may cost money")
    parser.add_argument("--model", action="store_true", help=about)


def _bench_retrieval(parser: argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--embedder", metavar="KIND[:PATH]", help=t("use this embedder (setting embedder.kind)")
    )
    parser.add_argument(
        "--profile", metavar="NAME", help=t("use this ranking (setting recall.profile)")
    )
    parser.add_argument(
        "--category",
        metavar="NAME",
        action="append",
        default=[],
        help=t("only questions of this category; can be repeated"),
    )
    parser.add_argument(
        "--leave-out",
        metavar="NAME",
        action="append",
        default=[],
        help=t("exclude this category from the overall figures; can be repeated"),
    )
    parser.add_argument(
        "--updates",
        metavar="NAME",
        action="append",
        default=[],
        help=t("category of questions about updates: is the newest answer first?"),
    )
    parser.add_argument(
        "--top",
        type=whole,
        default=100,
        metavar="N",
        help=t("maximum number of items in the context (default: as many as fit)"),
    )
    about = t("also ask each conversation a question that only another can answer")
    parser.add_argument("--crossed", action="store_true", help=about)
    parser.add_argument(
        "--details",
        metavar="FILE",
        help=t("write the result of each question to this file, one per line"),
    )
    about = t("keep the memories in this folder, and reuse those already there")
    parser.add_argument("--keep", metavar="DIR", default="", help=about)


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help=t("which shell"))


def _repair(parser: argparse.ArgumentParser) -> None:
    about = t("a backup, a database or a folder of text views to copy intact data from")
    parser.add_argument("--from", dest="source", metavar="SOURCE", default="", help=about)


def _restore(parser: argparse.ArgumentParser) -> None:
    about = t("a backup, or a folder of text views written by `loxodon export`")
    parser.add_argument("source", metavar="SOURCE", help=about)
    parser.add_argument(
        "--replace",
        action="store_true",
        help=t("replace the current memory; the old database is kept"),
    )
    about = t("restore the backup of another space into this one")
    parser.add_argument("--as", dest="other", action="store_true", help=about)
    parser.add_argument("--all", action="store_true", help=t("restore all spaces in the backup"))
    from loxodon.serve.cli.settling import build

    build(parser)


def _backup(parser: argparse.ArgumentParser) -> None:
    about = t("file to write (default: a file named by date and time in backup.folder)")
    parser.add_argument("file", metavar="FILE", nargs="?", help=about)
    parser.add_argument("--all", action="store_true", help=t("back up all spaces in the home"))
    about = t("number of backups to keep in the folder (setting backup.keep); not with FILE")
    parser.add_argument("--keep", type=whole, metavar="N", help=about)
    parser.add_argument("--overwrite", action="store_true", help=t("overwrite an existing file"))


def _key_source(parser: argparse.ArgumentParser) -> None:
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--keyring", action="store_true", help=t("use the key in the system keyring")
    )
    about = t("use the key or passphrase in this file")
    place.add_argument("--key-file", metavar="FILE", help=about)
    place.add_argument("--env", action="store_true", help=t("use the key in LOXODON_KEY"))
    parser.add_argument("--make-key", action="store_true", help=t("create a new key there"))


def _forget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "ids", metavar="ID", nargs="*", help=t("memories (f_…), turns (t_…) or entities (e_…)")
    )
    for name, what in (
        (
            "entity",
            t("a person or thing, by any of its names: deletes every sentence that names it"),
        ),
        ("topic", t("everything under this topic or tag")),
        ("session", t("everything in this conversation")),
    ):
        parser.add_argument(f"--{name}", default="", metavar=name.upper(), help=what)
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="NAME",
        help=t("with --entity: also delete this name; can be repeated"),
    )
    parser.add_argument(
        "--last",
        default="",
        metavar="TIME",
        help=t("everything said in the last 90m, 12h, 7d or 2w"),
    )
    parser.add_argument("--all", action="store_true", help=t("everything"))
    parser.add_argument(
        "--dry-run", action="store_true", help=t("show what would be done, without doing it")
    )
    parser.add_argument("--yes", action="store_true", help=t("do not ask for confirmation"))
    parser.add_argument(
        "--receipts", action="store_true", help=t("list what was forgotten, without its content")
    )


def _pause(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for",
        dest="length",
        default="",
        metavar="TIME",
        help=t("for this long: 90m, 12h, 7d or 2w (default: until `loxodon resume`)"),
    )


def _inspect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="ID",
        nargs="+",
        help=t("id of a memory, message, note or entity, or a name"),
    )
    parser.add_argument(
        "--reveal", action="store_true", help=t("show numbers that are normally masked")
    )


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--about",
        default="",
        metavar="NAME",
        help=t("only what is known about NAME, as one file (.json or .md)"),
    )
    parser.add_argument(
        "--reveal", action="store_true", help=t("show numbers that are normally masked")
    )
    about = t("folder to write to (default: the workspace, setting workspace.path)")
    parser.add_argument("dir", metavar="DIR", nargs="?", help=about)
    about = t("mask addresses, numbers and keys; masked copies cannot be synced or restored")
    parser.add_argument("--masked", action="store_true", help=about)
    about = t("write plain text although this memory is encrypted; needs DIR")
    parser.add_argument("--plain", action="store_true", help=about)


def _sync(parser: argparse.ArgumentParser) -> None:
    about = t(
        "archive every memory whose line was deleted, even if there are many or they have "
        "changed since"
    )
    parser.add_argument("--deletions", action="store_true", help=about)
    parser.add_argument(
        "--dry-run", action="store_true", help=t("show what would be done, without doing it")
    )


def _watch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--follow", action="store_true", help=t("also add OpenClaw's sessions as they grow")
    )
    about = t("OpenClaw's state folder (OPENCLAW_STATE_DIR, or ~/.openclaw)")
    parser.add_argument("--state", metavar="DIR", help=about)


def _sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-read", action="store_true", help=t("only list what is already indexed")
    )


def _audit(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.auditing import build

    build(parser)


def _token(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.granting import build

    build(parser)


def _openclaw(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.openclaw import build

    build(parser)


def names_of(text: str) -> list[str]:
    """Names separated by commas, of either script."""
    return [
        name.strip()
        for name in text.replace("，", ",").replace("、", ",").split(",")
        if name.strip()
    ]


def _import(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.importing import build

    build(parser)


def _mcp(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.mcp import build

    build(parser)


def _proxy(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.proxying import build

    build(parser)


def _serve(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.serving import build

    build(parser)


def _talk(parser: argparse.ArgumentParser) -> None:
    from loxodon.serve.cli.chatting import build

    build(parser)


_ARGPARSE = {
    "usage: ": "用法：",
    "positional arguments": "参数",
    "options": "选项",
    "show this help message and exit": "显示这段帮助",
    "the following arguments are required: %s": "缺少参数：%s",
    "unrecognized arguments: %s": "未知的参数：%s",
    "expected one argument": "需要一个值",
    "expected at least one argument": "至少需要一个值",
    "argument %(argument_name)s: %(message)s": "参数 %(argument_name)s：%(message)s",
    "invalid choice: %(value)r (choose from %(choices)s)": "%(value)r 不可用（可选 %(choices)s）",
}

COMMANDS: dict[str, tuple[str, Build]] = {
    "init": ("Create a memory: a home, a space and its database.", _nothing),
    "add": ("Add conversations to the journal, from files or standard input.", _add),
    "import": ("Import memories and chats from another program.", _import),
    "capture": ("Save one memory in your own words.", _capture),
    "recall": ("Search the memory.", _recall),
    "context": ("Print everything an agent should see before it replies.", _context),
    "journal": ("Show or search past messages.", _journal),
    "list": ("List memories, newest first.", _list),
    "get": ("Show a memory, or a message (t_…).", _id),
    "edit": ("Change a memory; the old version stays in its history.", _edit),
    "tag": ("Add tags to a memory, or remove them.", _tag),
    "archive": ("Hide a memory from recall; it is kept.", _id_and_version),
    "unarchive": ("Bring back an archived memory, or everything that a run archived.", _unarchive),
    "history": ("Show every version of a memory.", _id),
    "inspect": ("Show everything about a memory, a message or a person.", _inspect),
    "forget": ("Delete something permanently, everywhere.", _forget),
    "pause": ("Stop recording and learning for a while; recall still works.", _pause),
    "resume": ("End a pause.", _nothing),
    "consolidate": ("Turn new messages into facts, beliefs and summaries.", _consolidate),
    "embed": ("Compute missing vectors, for search by meaning.", _embed),
    "review": ("Show beliefs and requests to forget that need your answer.", _review),
    "quarantine": (
        "List instructions found in other people's text and held back; release or drop one.",
        _quarantine,
    ),
    "model": ("Test the configured model: what works, how fast, how well it reads.", _model),
    "policy": ("Show what is stored, masked or refused; check a text; scan stored data.", _policy),
    "entities": ("List known people, places and things, or show one.", _entities),
    "profile": ("Show the core facts about the user.", _profile),
    "snapshot": ("Print what a conversation should start with.", _nothing),
    "schedule": ("Show background jobs: what is next and what failed.", _schedule),
    "status": ("Show the state of this memory.", _nothing),
    "clock": ("Show whether the system clock is trusted; confirm that it is right.", _clock),
    "stats": ("Count what this memory holds.", _nothing),
    "validate": ("Check the data and its indexes for damage.", _nothing),
    "audit": ("Show who read and wrote what, and check that log for tampering.", _audit),
    "repair": ("Repair a damaged memory, and report what was lost.", _repair),
    "rebuild-index": ("Rebuild every index from the data.", _nothing),
    "config": ("Show or change the settings.", _config),
    "backup": ("Back up the memory to one file, while it is in use.", _backup),
    "restore": ("Restore a memory from a backup or from its text views.", _restore),
    "encrypt": ("Encrypt every database in the home.", _key_source),
    "decrypt": ("Decrypt the databases.", _nothing),
    "rekey": ("Change the encryption key.", _key_source),
    "export": ("Write the memory as text you can read and edit.", _export),
    "sync": ("Apply your edits of the text views, and index your notes.", _sync),
    "watch": ("Sync on every change, until stopped.", _watch),
    "sources": ("Index the notes that changed, and list them.", _sources),
    "token": ("Create and revoke access tokens for programs.", _token),
    "openclaw": ("Use Loxodon with OpenClaw: follow its sessions, or install into it.", _openclaw),
    "mcp": ("Serve the memory to an agent over MCP.", _mcp),
    "serve": ("Serve the memory over HTTP, and run its background jobs.", _serve),
    "proxy": ("Add memory to any client, as a proxy in front of its model.", _proxy),
    "chat": ("Chat with a model that remembers.", _talk),
    "bench": ("Measure how well memories are written and found.", _bench),
    "completion": ("Print a script that completes commands in your shell.", _completion),
}
