"""What a model is shown of a talk, and what of its answer is believed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from loxodon import Memory
from loxodon.consolidate.pipeline import Consolidated
from loxodon.types import Record
from tests.cases import cases
from tests.clock import NOW, Clock
from tests.each import each
from tests.long import some
from tests.models.labelled import FULL, Shown, shown
from tests.models.server import Scene, Stage, says

Answer = Callable[[Shown], object]


def claim(do: str, words: str = "", **more: Any) -> dict[str, Any]:
    return {**(FULL if do in ("add", "update") else {}), "do": do, "words": words, **more}


def playing(server: Stage, answer: Answer, **others: object) -> Scene:
    """A model that answers what it is asked about a talk, and something to the other questions."""

    def scene(handler: BaseHTTPRequestHandler) -> None:
        body = server.requests[-1].body
        name = body["response_format"]["json_schema"]["name"]
        reply = answer(shown(body)) if name == "reading" else others.get(name)
        says(reply if isinstance(reply, dict) else {"verdict": "unrelated"})(handler)

    return scene


def settings(server: Stage, **more: Any) -> dict[str, Any]:
    model = {
        "base_url": f"http://127.0.0.1:{server.port}/v1",
        "name": "test",
        "retries": 0,
        "check": False,
        "extraction": "full",
    }
    found: dict[str, Any] = {f"model.{name}": value for name, value in (model | more).items()}
    return found | {"timezone": "Asia/Shanghai", "workspace.views": "off"}


class Reader:
    """A memory whose messages a model reads."""

    def __init__(self, server: Stage, home: Path, clock: Clock | None = None) -> None:
        self.server = server
        self.memory = Memory.open(home, config=settings(server), clock=clock or Clock())

    def hears(self, *turns: str | dict[str, Any], answer: Answer, **others: object) -> Consolidated:
        """Consolidate these messages, of the user where nothing else is said."""
        said = [{"role": "user", "content": one} if isinstance(one, str) else one for one in turns]
        self.server.play(playing(self.server, answer, **others))
        self.memory.add(said, session=f"s{len(self.memory.journal())}")
        return self.memory.consolidate()


@pytest.fixture
def reader(server: Stage, tmp_path: Path, clock: Clock) -> Iterator[Reader]:
    found = Reader(server, tmp_path / "home", clock)
    yield found
    found.memory.close()


def only_line(lines: Shown) -> str:
    """The number of the one message that is asked about."""
    (number,) = [label.split()[0] for label, _ in lines if label[0].isdigit()]
    return number


def drops(lines: Shown) -> list[dict[str, Any]]:
    """Of what the rules read, nothing is kept."""
    return [{"do": "drop", "id": label} for label, _ in lines if label.startswith("h")]


def learned(server: Stage, said: str, *claims: object) -> tuple[list[Record], str]:
    """What a new memory has once a model has claimed something of one message, and why it is not
    believed, where it is not."""
    with TemporaryDirectory() as home:
        reader = Reader(server, Path(home))
        with reader.memory as memory:
            done = reader.hears(
                said, answer=lambda told: {only_line(told): [*claims, *drops(told)]}
            )
            assert done.model
            return list(memory.list()), " ".join(done.model.refused)


def one(server: Stage, said: str, **labels: Any) -> Record:
    """The memory that is made of a claim about one message."""
    records, refused = learned(server, said, claim("add", labels.pop("words", said), **labels))
    assert (len(records), refused) == (1, "")
    return records[0]


def test_model_is_shown_the_talk_with_what_is_known_and_what_the_rules_read(
    reader: Reader, server: Stage, clock: Clock
) -> None:
    clock.now -= timedelta(days=90)
    known = reader.memory.capture("The user lives in Bath")
    sister = reader.memory.capture("The user's sister Mei eats fish")
    clock.now = NOW
    york = {"content": "The user lives in York", "attribute": "home", "value": "York"}
    labels = {"category": "status", "importance": 0.8, "topic": "home", "tags": ["York", "Rome"]}

    def answer(lines: Shown) -> object:
        ids = {text: label.split()[0] for label, text in lines if label.startswith("m")}
        moved = claim("update", "Moved from Bath to York", id=ids[known.content], **york, **labels)
        ended = claim("end", "is vegan", id=ids[sister.content])
        return {"1": [moved], "2": [], "3": [ended]}

    asked = {"role": "assistant", "content": "Where are you based?"}
    talk = ("Moved from Bath to York last month", "haha that's wild", "my sister Mei is vegan")
    done = reader.hears(asked, *talk, answer=answer)
    body = server.requests[0].body
    lines = body["messages"][1]["content"].splitlines()
    assert (lines[0], lines[-1]) == ("<data>", "</data>")
    for line in (
        '- 2026-02-04 assistant "Where are you based?"',
        '1 2026-02-04 user "Moved from Bath to York last month"',
        '2 2026-02-04 user "haha that\'s wild"',
        '3 2026-02-04 user "my sister Mei is vegan"',
    ):
        assert line in lines
    assert any(line.startswith("h") for line in lines)
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["1", "2", "3"]
    assert done.model
    assert (done.model.asked, done.model.decided, dict(done.model.refused)) == (3, 3, {})
    assert reader.memory.get(known.id).state == reader.memory.get(sister.id).state == "archived"
    (home,) = [record for record in reader.memory.list() if record.topic == "home"]
    assert (home.content, home.value, home.topic) == ("The user lives in York", "York", "home")
    assert (home.importance, home.category, home.tags) == (0.8, "status", ("York",))


MEI = "my sister Mei is vegan"


@each("item", some(cases(__file__, "unbelievable"), 2))
def test_what_cannot_be_believed_changes_nothing(server: Stage, item: Any) -> None:
    with TemporaryDirectory() as home, (reader := Reader(server, Path(home))).memory as memory:
        for text in ("The user lives in Bath", "The user's sister Mei eats fish"):
            memory.capture(text)
        done = reader.hears(MEI, answer=lambda lines: {only_line(lines): [item]})
        assert done.problem or (done.model and done.model.refused)
        records = {one.content for one in memory.list()}
        assert {"The user lives in Bath", "The user's sister Mei eats fish"} <= records
        assert not records & {"Mei is vegan", "The user is rich", "A vegan sister"}


@each("answer", [{}, {"8": []}, {"1": None}, {"1": {}}, {"1": [5]}])
def test_answer_of_which_nothing_is_left_decides_nothing(server: Stage, answer: object) -> None:
    with TemporaryDirectory() as home, (reader := Reader(server, Path(home))).memory as memory:
        done = reader.hears("Zephyr on the invoices", answer=lambda lines: answer)
        assert done.model
        assert (done.model.decided, memory.status().waiting) == (0, 1)


def test_what_a_server_without_schemas_leaves_out_is_empty(server: Stage) -> None:
    item = {"do": "add", "words": MEI, "content": "The user's sister is Mei"}
    records, _ = learned(server, MEI, item, item)
    assert [one.importance for one in records if one.content == item["content"]] == [0.5]


def test_labels_are_believed_only_where_the_words_bear_them(server: Stage) -> None:
    said, content = "I moved to Leeds", "The user moved to Leeds"
    found = one(
        server,
        said,
        content=f"{content}.",
        attribute="name",
        value="Leeds",
        category="nonsense",
        subject="The user",
        project="Rome",
        topic="a\nb",
        mentions=[{"name": n, "type": "city"} for n in ("Rome", "Leeds")],
    )
    assert (found.content, found.attribute, found.category) == (content, "", "fact")
    assert (found.project, found.topic, found.entities) == ("_global", "_general", ("Leeds",))
    assert one(server, said, content=content, attribute="home", value="Paris").value == ""
    assert one(server, said, content=content, category="credential").category == "fact"
    text, content = "my sister lives in Leeds", "The user's sister lives in Leeds"
    labels = {"content": content, "attribute": "home", "value": "Leeds"}
    assert one(server, text, **labels).attribute == ""  # it is not the user's
    assert one(server, text, **labels, subject="sister").attribute == "home"


@each(("claimed", "content", "bears"), some(cases(__file__, "attributes"), 2))
def test_attribute_is_one_that_the_sentence_bears(
    server: Stage, claimed: str, content: str, bears: bool
) -> None:
    words = content.replace("The user's", "My").replace("The user is", "I am")
    words = words.replace("The user", "I").replace("用户", "我")
    value = content.split()[-1] if content.isascii() else content[-2:]
    records, _ = learned(
        server, words, claim("add", words, content=content, attribute=claimed, value=value)
    )
    found = {record.attribute for record in records if record.content == content}
    assert (claimed in found) is bears or not found


@each(("labels", "importance"), some(cases(__file__, "importance"), 2))
def test_importance_keeps_to_the_scale(
    server: Stage, labels: dict[str, Any], importance: float
) -> None:
    found = one(server, "nuts make me ill", content="The user gets ill from nuts", **labels)
    assert found.importance == importance


def test_hedges_and_beliefs_have_less_confidence(server: Stage) -> None:
    maybe = one(server, "maybe I'll get a dog", content="The user may get a dog")
    assert (maybe.kind, maybe.confidence) == ("belief", 0.6)
    assert maybe.basis == "maybe I'll get a dog"
    guess = one(server, "I have a dog", content="The user has a dog", kind="belief")
    assert guess.confidence == 0.7
    chinese = one(server, "可能会养狗", content="用户可能会养狗", confidence=0.4)
    assert chinese.confidence == 0.4


@each(("words", "since", "day"), cases(__file__, "since"))
def test_since_when_is_what_the_words_say(
    server: Stage, words: str, since: str, day: str | None
) -> None:
    found = one(server, words, content="The user lives in Leeds", since=since).valid_from
    named = found.date().isoformat() if found and found.date() != NOW.date() else None
    assert named == day


@each(("content", "words", "why"), some(cases(__file__, "quotations"), 2))
def test_sentence_rests_on_the_words_it_quotes(
    server: Stage, content: str, words: str, why: str
) -> None:
    said = f"对了，{words}。就这样" if "用户" in content else f"Well, {words}. And so on"
    records, refused = learned(server, said, claim("add", words, content=content))
    assert why in refused
    assert (content in [one.content for one in records]) is not bool(why)


def test_question_says_nothing_but_what_stands_before_it(server: Stage) -> None:
    item = claim("add", "I live in Leeds", content="The user lives in Leeds")
    assert "question" in learned(server, "do I live in Leeds?", item)[1]
    said = "I keep two goats and was wondering if you know a cheap fence?"
    goats = claim("add", "I keep two goats", content="The user keeps two goats")
    assert learned(server, said, goats)[1] == ""
    fence = claim("add", "a cheap fence", content="The user knows a cheap fence")
    assert "question" in learned(server, said, fence)[1]


def test_aversion_is_told_without_a_not(server: Stage) -> None:
    words, content = "if I ever eat liver again, shoot me", "The user will not eat liver again"
    assert learned(server, words, claim("add", words, content=content))[1]
    labels = {"content": content, "attribute": "dislikes", "value": "liver"}
    assert learned(server, words, claim("add", words, **labels))[1] == ""


@each("text", ["x" * 1_000_000, "字" * 300_000, "🥜\u202e" * 1_000, "]", "a\n\nb", "</data> <|x|>"])
def test_any_text_can_be_asked_about(server: Stage, text: str) -> None:
    server.requests.clear()
    learned(server, text)
    told = [request.body["messages"][1]["content"] for request in server.requests]
    assert all(len(one) < 20_000 for one in told)
    assert all(one.count("</data>") == 1 and "<|" not in one for one in told)


# What an agent notes, and whether the user's words bear it out


@each(("content", "said", "context"), cases(__file__, "borne_out"))
def test_note_that_the_users_words_bear_out_is_a_fact(
    content: str, said: str, context: str
) -> None:
    with TemporaryDirectory() as home, Memory.open(home, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": said}])
        assert context or memory.remember(content).kind == "fact"


@each(("content", "said"), some(cases(__file__, "not_borne_out"), 2))
def test_note_that_says_something_else_is_none(content: str, said: str) -> None:
    with TemporaryDirectory() as home, Memory.open(home, clock=Clock()) as memory:
        memory.add([{"role": "user", "content": said}])
        assert memory.remember(content).kind == "belief"


# The smaller questions


@each(("belief", "fact", "said", "verdict"), some(cases(__file__, "beliefs"), 2))
def test_verdict_on_a_belief_is_checked(
    server: Stage, belief: str, fact: str, said: str, verdict: str
) -> None:
    with TemporaryDirectory() as home, (reader := Reader(server, Path(home))).memory as memory:
        kept = memory.capture(belief, "belief", confidence=0.6)
        words = fact.replace("The user", "I").replace("用户", "我")
        item = claim("add", words, content=fact)
        answer = {"weigh": {"verdict": said}}
        reader.hears(words, answer=lambda lines: {only_line(lines): [item]}, **answer)
        found = memory.get(kept.id)
        expected = {"confirm": 1.0, "deny": 0.3, "unrelated": 0.6}[verdict]
        assert found.confidence == pytest.approx(expected) or found.state == "archived"


JAZZ = ("I like jazz", "I play the cello", "I have 2 cats")


def test_portrait_says_only_what_is_known(reader: Reader) -> None:
    def answer(lines: Shown) -> object:
        texts = {label.split()[0]: text for label, text in lines if label[0].isdigit()}
        return {n: [claim("add", t, content=t.replace("I", "The user"))] for n, t in texts.items()}

    good = {"portrait": "The user likes jazz, plays the\ncello and has two cats."}
    reader.hears(*JAZZ, answer=answer, portrait=good)
    reader.memory.consolidate(force=True)
    page = reader.memory.profile(refresh=True)
    assert "two cats" in page
    reader.server.play(playing(reader.server, answer, portrait={"portrait": "A famous musician."}))
    assert "famous" not in reader.memory.profile(refresh=True)


def retold(lines: Shown, **labels: Any) -> object:
    """Each message as a fact about the user, or about Mei."""
    texts = {label.split()[0]: text for label, text in lines if label[0].isdigit()}
    found = {}
    for number, text in texts.items():
        content = text.replace("I ", "The user ").replace("我", "用户")
        about = {"subject": "Mei", "mentions": [{"name": "Mei", "type": "person"}]}
        found[number] = [
            claim("add", text, content=content, **labels, **(about if "Mei" in text else {})),
            *drops(lines)[: 1 if number == "1" else 0],
        ]
    return found


ILL = ("我对花生过敏", "我对芒果过敏", "我有哮喘")


@each(("text", "good"), some(cases(__file__, "summaries"), 2))
def test_summary_says_only_what_is_known(server: Stage, text: str, good: bool) -> None:
    health = {"category": "health", "topic": "health"}
    with TemporaryDirectory() as home, (reader := Reader(server, Path(home))).memory as memory:
        answer = {"summarise": {"summary": text}}
        reader.hears(*ILL, answer=lambda lines: retold(lines, **health), **answer)
        found = [one.content for one in memory.list(kind="summary")]
        assert found
        assert (text in found) is good


def test_profile_of_a_person_is_worded(reader: Reader) -> None:
    words = "Mei plays the cello and has two cats in Osaka"
    said = "Mei lives in Osaka", "Mei plays the cello", "Mei has 2 cats"
    reader.hears(*said, answer=retold, entity={"profile": words})
    (found,) = [one for one in reader.memory.list(kind="summary") if one.subject == "Mei"]
    assert found.content == words


@each(("content", "good"), some(cases(__file__, "merges"), 2))
def test_merge_loses_and_adds_nothing(server: Stage, content: str, good: bool) -> None:
    said = [f"I eat {letter * 5} for lunch" for letter in "ABCDEFGHIJ"]
    said += ["I drink tea at breakfast", "I drink 2 cups of tea with milk"]

    def merging(handler: BaseHTTPRequestHandler) -> None:
        body = server.requests[-1].body
        if body["response_format"]["json_schema"]["name"] == "merge":
            numbers = [int(label) for label, text in shown(body) if "tea" in text]
            says({"merged": [{"numbers": numbers, "content": content}]})(handler)
        else:
            says({"verdict": "unrelated"})(handler)

    with TemporaryDirectory() as home, (reader := Reader(server, Path(home))).memory as memory:
        reader.hears(*said, answer=lambda lines: retold(lines, topic="diet"))
        server.play(merging)
        memory.schedule.run("weekly")
        assert (content in [one.content for one in memory.list()]) is good
