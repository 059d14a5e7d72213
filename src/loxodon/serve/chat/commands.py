"""What can be done in a chat beside talking: a line that begins with a slash and a known word.

A command returns what a command of the command line does: its data, and how a person sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from loxodon.errors import UsageError
from loxodon.fields import retagged
from loxodon.messages import current, t
from loxodon.serve.chat.conversation import Conversation
from loxodon.serve.cli import view
from loxodon.serve.cli.opening import Outcome
from loxodon.types import Frame, Recall, Review

QUIT, RETRY = "quit", "retry"
"""What the loop does itself."""
_ALIASES = {
    "exit": QUIT,
    "q": QUIT,
    "?": "help",
    "回忆": "recall",
    "标签": "tag",
    "画像": "refresh",
    "记住": "remember",
    "确认": "review",
    "为什么": "why",
    "快照": "snapshot",
    "新对话": "new",
    "重试": RETRY,
    "忘记": "forget",
    "帮助": "help",
    "退出": QUIT,
}


class Command(NamedTuple):
    name: str
    rest: str


def command_in(line: str) -> Command | None:
    """The command that a line is; None where it is a message.

    A path is a message (`/usr/bin/python fails`), and so is what begins with two slashes, less one.
    """
    word, _, rest = line.strip().partition(" ")
    if len(word) < 2 or word[0] != "/" or "/" in word[1:] or "\n" in word:
        return None
    name = word[1:].casefold()
    name = _ALIASES.get(name, name)
    if name not in (*_RUN, QUIT, RETRY):
        raise UsageError(
            "unknown command {name}",
            hint="see /help; to send a message that starts with a slash, type two",
            name=word[:60],
        )
    return Command(name, rest.strip())


def message_in(line: str) -> str:
    """The message that a line is."""
    text = line.strip()
    return text[1:] if text.startswith("//") else text


class Commands:
    """Does what commands ask for, and keeps in mind what was listed."""

    def __init__(self, chat: Conversation) -> None:
        self.chat = chat
        self.memory = chat.memory
        self.listed: list[tuple[str, int | None]] = []
        """The beliefs that were listed last, by the numbers they were shown with."""

    def run(self, command: Command) -> Outcome:
        """Do it; a LoxodonError where it cannot be done."""
        return _RUN[command.name](self, command.rest)


def _needs(rest: str, usage: str) -> str:
    if not rest:
        raise UsageError("missing argument", hint="write it as {usage}", usage=usage)
    return rest


def _recall(on: Commands, rest: str) -> Outcome:
    query = _needs(rest, "/recall " + t("QUESTION"))
    found = on.memory.recall(query)
    budget = on.memory.config.recall.budget
    return Outcome(found, lambda: view.recall(found, budget, explain=False))


def _tag(on: Commands, rest: str) -> Outcome:
    id, *changes = _needs(rest, "/tag ID +a -b").split()
    _needs(" ".join(changes), "/tag ID +a -b")
    record = on.memory.get(id)
    tags = retagged(record.tags, changes)
    if tags != record.tags:
        record = on.memory.edit(id, version=record.version, tags=tags)
    said = t("{id} now has the tags {tags}", id=record.id, tags=", ".join(record.tags) or "—")
    return Outcome(record, lambda: print(view.safe(said)))


def _refresh(on: Commands, rest: str) -> Outcome:
    text = on.memory.profile(current(), refresh=True)
    return Outcome({"profile": text}, lambda: print(view.safe(text)))


def _remember(on: Commands, rest: str) -> Outcome:
    record = on.memory.capture(_needs(rest, "/remember " + t("TEXT")))
    said = t("remembered as {id}", id=record.id)
    return Outcome(record, lambda: print(said))


def _snapshot(on: Commands, rest: str) -> Outcome:
    text = on.memory.snapshot(current())
    return Outcome({"snapshot": text}, lambda: print(view.safe(text)))


def _new(on: Commands, rest: str) -> Outcome:
    on.chat.new()
    said = t("started a new conversation; earlier ones are remembered")
    return Outcome({"session": on.chat.session.name}, lambda: print(said))


def _forget(on: Commands, rest: str) -> Outcome:
    """Erase by ids; what would go is told first, and `/forget ID yes` does it."""
    usage = "/forget ID, /forget ID yes"
    *ids, last = _needs(rest, usage).split()
    sure = last.casefold() in _CONFIRM
    ids = ids if sure else [*ids, last]
    _needs(" ".join(ids), usage)
    receipt = on.memory.forget(*ids, dry_run=not sure)

    def show() -> None:
        from loxodon.serve.cli.control import show_receipt

        show_receipt(receipt, gone=sure)
        if not sure:
            print(t("type `{line}` to delete it permanently", line=f"/forget {' '.join(ids)} yes"))

    return Outcome({"done": sure, "receipt": receipt}, show)


# --- Reviews --------------------------------------------------------------------------------------

_CONFIRM = ("confirm", "yes", "确认", "是")
_REJECT = ("reject", "no", "拒绝", "否")


def _review(on: Commands, rest: str) -> Outcome:
    from loxodon.serve.cli.knowledge import confirmed, rejected

    verb, _, which = rest.partition(" ")
    if not rest:
        return _reviews(on)
    if verb.casefold() in _CONFIRM:
        return confirmed(on.memory, *_named(on, which))
    if verb.casefold() in _REJECT:
        return rejected(on.memory, *_named(on, which))
    raise UsageError(
        "missing argument",
        hint="write it as {usage}",
        usage="/review, /review confirm 1, /review reject 1",
    )


def _reviews(on: Commands) -> Outcome:
    from loxodon.serve.cli.knowledge import asked_in, show_asked, show_review

    found: list[Review] = on.memory.reviews()
    asked = asked_in(on.memory)
    on.listed = [(one.belief.id, one.belief.version) for one in found]

    def show() -> None:
        if not found and not asked:
            print(t("nothing to review"))
        for request in asked:
            show_asked(request, "/forget {}", "/review reject {}")
        for n, one in enumerate(found, 1):
            show_review(one, f"{n}. ")
        if found:
            print(t("answer with /review confirm N or /review reject N, or just say it"))

    return Outcome([*asked, *found], show)


def _named(on: Commands, which: str) -> tuple[str, int | None]:
    """The id of a belief that is named by its number in the list, or by its id; and the version
    that was shown."""
    which = _needs(which.strip(), "/review confirm 1")
    if not (which.isascii() and which.isdecimal()):
        return which, dict(on.listed).get(which)
    listed = on.listed or [(one.belief.id, None) for one in on.memory.reviews()]
    place = int(which[:9]) - 1
    if not 0 <= place < len(listed):
        raise UsageError(
            "there is no item {number} in the list", hint="/review lists them", number=which
        )
    return listed[place]


# --- Why ------------------------------------------------------------------------------------------


def _why(on: Commands, rest: str) -> Outcome:
    frame, carried = on.chat.frame, on.chat.carried
    if frame is None:
        raise UsageError("nothing has been recalled yet", hint="send a message first")
    data = {"frame": frame, "carried": [[item.id for item in one.items] for one in carried]}
    return Outcome(data, lambda: _show_why(frame, carried))


def _show_why(frame: Frame, carried: tuple[Recall, ...]) -> None:
    from loxodon.serve.cli import explaining

    explaining.frame(frame)
    parts = [t("the profile")] if frame.profile else []
    parts += [t("recent context")] if frame.recent else []
    parts += [t("the soul")] if frame.soul else []
    if parts:
        print(t("also sent to the model: {parts}", parts=", ".join(parts)))
    for one in carried:
        ids = ", ".join(item.id for item in one.items)
        print(view.safe(t("sent with an earlier message and still in the context: {ids}", ids=ids)))


# --- Help -----------------------------------------------------------------------------------------


def _help(on: Commands, rest: str) -> Outcome:
    about = {
        "/recall " + t("QUESTION"): t("search the memory"),
        "/remember " + t("TEXT"): t("save one memory, word for word"),
        "/why": t("show what was sent to the model for the last reply, and why"),
        "/review": t("show what needs your answer; /review confirm 1, /review reject 1"),
        "/forget ID": t("delete something permanently; asks first"),
        "/tag ID +a -b": t("add tags to a memory or remove them"),
        "/refresh": t("rebuild the profile and show it"),
        "/snapshot": t("show what a conversation starts with"),
        "/retry": t("retry when there was no reply"),
        "/new": t("start a new conversation"),
        "/quit": t("quit; Ctrl-D, or Ctrl-C twice, also quits"),
    }

    def show() -> None:
        view.pairs(list(about.items()))
        print(
            t("Ctrl-C stops a reply. A line that ends in a backslash continues on the next line.")
        )

    return Outcome({"commands": about}, show)


_RUN: dict[str, Callable[[Commands, str], Outcome]] = {
    "recall": _recall,
    "tag": _tag,
    "refresh": _refresh,
    "remember": _remember,
    "review": _review,
    "why": _why,
    "snapshot": _snapshot,
    "new": _new,
    "forget": _forget,
    "help": _help,
}
