"""Phase 3 for Chinese: the fragments that were kept become sentences about someone.

A turn is read from left to right by one `_Reader`. For each fragment: does it put something right,
is it a rule or a reminder for the assistant, an answer to its question, a bit that belongs to the
sentence before it, or a clause of its own?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loxodon.write.statements import USER, Fragment, Said, Statement, Verdict
from loxodon.write.zh.about_self import JOBS
from loxodon.write.zh.answers import adopted, confirmed, framed, in_the_past, refused
from loxodon.write.zh.beliefs import SURE, hedge_of, unhedged
from loxodon.write.zh.clean import Script, plain, tidy
from loxodon.write.zh.context import in_context, left_behind
from loxodon.write.zh.corrections import correction_in
from loxodon.write.zh.implied import is_undoing, may_be_resumed, names_successor
from loxodon.write.zh.joining import URGED, join, joins
from loxodon.write.zh.people import THE_USER, Who, given_name, people_in, person, pet, pets
from loxodon.write.zh.person import Clause, clause_of
from loxodon.write.zh.phrasing import fronted, polished
from loxodon.write.zh.reading import Reading, size
from loxodon.write.zh.reference import completed_from, filled, named_before, refers, spoken_of
from loxodon.write.zh.repair import corrects, take_back, takes_back_a_request
from loxodon.write.zh.requests import reminder, rule
from loxodon.write.zh.sentence import ROLES, is_sound, statement_of
from loxodon.write.zh.speech import is_reminder
from loxodon.write.zh.words import CHILDREN, PARTNERS, pattern


def read(said: Said, verdicts: Sequence[Verdict]) -> list[Statement]:
    """What the fragments that were kept say."""
    if len(said.text) > 50_000 and not any(verdict.keep for verdict in verdicts):
        return []
    script = Script(said.text + "".join(line.content[:200] for line in said.before[-2:]))
    return [
        one._replace(content=script.restore(one.content), value=script.restore(one.value))
        for one in _statements(Reading(said, verdicts))
    ]


def _statements(reading: Reading) -> list[Statement]:
    reading.scene.running = _first_subject(reading)
    parts = zip(reading.said.fragments, reading.verdicts, reading.texts, strict=False)
    for place, (fragment, verdict, text) in enumerate(parts):
        bare = tidy(text)
        reading.place = place
        if verdict.reason == "joke":
            take_back(reading)
        elif takes_back_a_request(reading, fragment, text) or corrects(reading, place, text):
            pass
        elif place and names_successor(bare):
            left = tidy(reading.texts[max(0, place - 2)]) if place > 1 else ""
            before = "，".join(filter(None, (left, tidy(reading.texts[place - 1]))))
            # Before the departure, which ends what is known of the one who left.
            reading.found.insert(
                max(0, len(reading.found) - 1), _open(f"{before}，{bare}", fragment)
            )
        elif verdict.keep and is_undoing(bare) and not reading.said.earlier and not reading.found:
            _leave_open(reading, fragment, bare)
        elif verdict.keep:
            _read(reading, fragment, verdict, text, bare)
        else:
            _pass_over(reading, fragment, text, bare)
            if verdict.reason in ("unrelated", "momentary", "empty"):
                _leave_open(reading, fragment, bare)
        if verdict.reason not in ("comment", "opinion", "general", "quoted", "fiction"):
            reading.scene.notice(bare)
        if pattern(r"[。！!？?\n]\s*$").search(fragment.text):
            reading.lost, reading.scene.running = False, THE_USER
    reading.found += _presupposed(reading)
    found = _with_objects(reading.found)
    finished = {polished(one.content): one for one in found}
    return [
        one._replace(content=content)
        for content, one in finished.items()
        if is_sound(content) or (one.act in ("correct", "change") and one.category == "temp")
    ]


def _leave_open(reading: Reading, fragment: Fragment, bare: str) -> None:
    """Note a clause that only a memory can tell the subject of (see `implied`)."""
    if reading.found or reading.question or fragment.text.rstrip("，,。！!~ ").endswith("吧"):
        return  # it goes on with what was just said, or answers
    after = tidy("".join(reading.texts[reading.place + 1 : reading.place + 2]))
    again = pattern(r"^(?:重.|换|改)(?:了|过)$").match(bare)
    said = f"{bare}，{after}" if again and 0 < len(after) <= _NEAR else bare
    if may_be_resumed(said):
        reading.found.append(_open(said, fragment))


def _open(said: str, fragment: Fragment) -> Statement:
    return Statement(said, category="temp", act="change", fragments=(fragment.n,))


def _with_objects(found: Sequence[Statement]) -> list[Statement]:
    """Rules that leave out what to avoid, with what was said just before: 避开 what?"""
    whole: list[Statement] = []
    thing = ""
    for one in found:
        if one.attribute in ("allergy", "avoids", "dislikes", "diet"):
            thing = one.value
        if one.attribute == "rule" and one.content.endswith(("避开", "避免", "绕开", "注意")):
            if not thing:
                continue
            one = one._replace(content=f"{one.content}{thing}")
        whole.append(one)
    return whole


def _first_subject(reading: Reading) -> Who:
    """Whom a turn without a subject is about: the user, unless the assistant asked about the
    one that was spoken of before."""
    earlier = reading.said.earlier[-1] if reading.said.earlier else None
    if earlier is None or earlier.subject == USER:
        return THE_USER
    asked_of_them = bool(reading.question) and "你" not in reading.question
    side = pattern(
        r"^(?:左|右)(?:边|耳|眼|手|脚|腿)|^(?:血压|血糖|血脂|尿酸|眼睛|耳朵|膝盖|腰|腿" r"|胃)"
    ).match(reading.texts[0] if reading.texts else "")
    who = reading.scene.known_by(earlier.subject)
    return who if (asked_of_them or side) and (who.relation or who.gender) else THE_USER


def _read(reading: Reading, fragment: Fragment, verdict: Verdict, text: str, bare: str) -> None:
    if is_reminder(text):
        _add(reading, reminder(bare, reading.scene), fragment)
        return
    if verdict.reason == "rule":
        _add(reading, rule(text, reading.scene), fragment)
        return
    if fragment.n == 0:
        bare = _as_answer(reading, fragment, text, bare)
    for part in _parts(bare):
        _read_clause(reading, fragment, text, part)


def _read_clause(reading: Reading, fragment: Fragment, text: str, bare: str) -> None:
    bare = fronted(bare)
    last = spoken_of(reading.said)
    if last and not reading.found and refers(bare):
        following = reading.texts[fragment.n + 1 : fragment.n + 2]
        bare = completed_from(bare, last, tidy("".join(following))) or bare
    elif refers(bare) and (thing := named_before(reading.texts, fragment.n)):
        bare = filled(bare, thing) or bare
    if reading.found and reading.found[-1].act == "end" and pattern(_REPLACES).match(bare):
        reading.scene.running = THE_USER  # whoever has gone does not look for the next
    bare = _of_the_new(reading, _renamed(reading, bare))
    mistaken, reading.mistaken = reading.mistaken, None
    if mistaken and (
        right := pattern(r"^(?:其实|应该|正确的)*(?:是|叫|在|有)+(?P<b>[^，]{1,12})$").match(bare)
    ):
        bare = f"{mistaken[0]}{mistaken[1]}{right['b']}"
        bare = bare if mistaken[0].startswith("我") or mistaken[2] else f"我的{bare}"
    clause = _clause(reading, bare)
    if clause is None:
        reading.lost = not _introduces(reading, bare)
        return
    if clause.explicit:
        reading.lost = False
    statement = statement_of(clause, hedge_of(bare, plain(reading.said.text[:600])))
    if (
        statement.act == "state"
        and fragment.n
        and pattern(r"^(?:最后|最终|结果)(?!一)").match(text)
    ):
        statement = statement._replace(act="change")
    strong = statement.act != "state" or bool(statement.attribute)
    if statement.attribute in _LOOSE and statement.act == "state":
        strong = bare.startswith("没")
    if joins(reading, fragment, text, bare, clause, strong):
        join(reading, fragment, text, bare)
        return
    unclear = reading.slipped and bare.startswith("是")
    lost = reading.lost and not (statement.act == "change" and left_behind(reading, bare))
    if lost or unclear or not _says_enough(bare, clause, strong):
        if clause.explicit:
            _go_on_with(reading, clause, bare)
        return
    if mistaken:
        wrong = (
            mistaken[2] or f"{clause.who.relation or mistaken[0].removeprefix('我的')}{mistaken[1]}"
        )
        statement = statement._replace(act="correct", over=(wrong,), confidence=1.0, basis="")
    if correction_in(text) or text.startswith("等等"):
        reading.found = [
            one
            for one in reading.found
            if (one.subject, one.attribute) != (statement.subject, statement.attribute)
            or not one.attribute
        ]
    _add(reading, in_context(reading, statement, clause), fragment)
    _go_on_with(reading, clause, bare)


def _renamed(reading: Reading, bare: str) -> str:
    """我妈嫌雪糕难听，改叫奶盖了: what is called otherwise is what had the name."""
    name = pattern(r"^(?:就|又|后来|现在|所以)*改(?:名)?叫(?P<n>[^，]{1,8}?)了?$").match(bare)
    before = reading.texts[reading.place - 1] if name and reading.place else ""
    disliked = pattern(
        r"(?:嫌|觉得|说|不喜欢)(?P<x>[^，我]{1,6}?)(?:这个?名字?|这名)?(?:太|有点|不)?(?:难听|好听|土|吉利|难记|难写)"
    ).search(before)
    return f"{disliked['x']}改名叫{name['n']}了" if name and disliked else bare


def _of_the_new(reading: Reading, bare: str) -> str:
    """换教练了，姓樊: the name behind a role that has changed hands is that of who has it now."""
    name = pattern(
        r"^(?:新来的|新的|现在的?|这个|换成了?|换了)*(?P<be>是|叫|姓)(?P<n>[^，我你他她]{1,8})$"
    ).match(bare)
    if not name:
        return bare
    for text in reading.texts[:_NEAR]:
        if role := pattern(
            rf"换(?:了|个|一个|位|掉)*(?P<r>{ROLES})(?:了|，|$)|(?P<s>{ROLES})换人?了"
        ).search(text):
            return f"我的{role['r'] or role['s']}{name['be']}{name['n']}"
    return bare


def _clause(reading: Reading, bare: str) -> Clause | None:
    if bare.startswith("用户"):
        return Clause(THE_USER, bare.removeprefix("用户"), bare, True)
    return clause_of(unhedged(bare), reading.scene)


def _go_on_with(reading: Reading, clause: Clause, bare: str) -> None:
    """Whom the next clause is about, if it does not say: mostly the one this was about."""
    who = clause.who
    if who is not THE_USER and pattern(URGED).match(clause.predicate):
        reading.scene.running = THE_USER
        return
    if who.relation and (name := given_name(clause.predicate)):
        named = person(who.relation, name, {}) if who.gender != "it" else who
        who = (
            named
            if who.gender != "it"
            else Who(f"{who.display}{name}", name, who.relation, name, "it")
        )
        reading.scene.remember(who)
    if found := pattern(r"^(?P<n>[^，是]{1,4})是(?:我|用户)").match(bare):
        who = next(
            (one for one in people_in(bare, reading.scene.known) if one.name == found["n"]), who
        )
    if who is THE_USER and pattern(r"有(?:一个|个|俩|两个)?[\u4e00-\u9fff]{0,3}$").search(bare):
        introduced = list(people_in(f"我{bare}", {}))
        who = introduced[-1] if introduced else who
    if pattern(r"^(?:医生|大夫|主任)[^，]{0,4}给我(?![开换调做看配])").match(bare):
        treated = list(people_in(bare, reading.scene.known))
        reading.scene.running = treated[-1] if treated else who
        return
    renamed = pattern(rf"给(?:我?们?家的?)?(?P<p>{pets()})(?:改|换|取|起)了?个?名").search(bare)
    if renamed:
        reading.scene.running = pet(renamed["p"], "", {})
        return
    if "叫" in bare and who is THE_USER:
        animals = [
            one for one in people_in(bare, reading.scene.known) if one.name and one.gender == "it"
        ]
        who = animals[-1] if animals else who
    if who is not THE_USER and not _stays_on(clause):
        return
    reading.scene.running = who


def _add(reading: Reading, statement: Statement | None, fragment: Fragment) -> None:
    if statement is None:
        return
    people = people_in(plain(fragment.text), reading.scene.known)
    mentions = statement.mentions + tuple(one.mention for one in people if one.key != USER)
    unique = tuple({one.name: one for one in reversed(mentions) if one.name}.values())[::-1]
    statement = statement._replace(mentions=unique, fragments=(fragment.n,))
    if reading.retracted:
        statement = statement._replace(act="end", over=statement.over + reading.retracted)
        reading.retracted = ()
    reading.found.append(statement)


def _as_answer(reading: Reading, fragment: Fragment, text: str, bare: str) -> str:
    """The first words of a turn, in the frame of what the assistant asked."""
    last = reading.scene.last_named()
    if (
        pattern(r"^叫(?!我)").match(bare)
        and last
        and not last.name
        and "你" not in reading.question
    ):
        reading.scene.running = last
        return bare
    if (
        pattern(r"叫什么|什么名字|叫啥").search(reading.question)
        and not pattern("[你您]").search(reading.question)
        and last is None
    ):
        return ""
    if choice := adopted(text, reading.said):
        return choice
    if answer := refused(bare, reading.said):
        return answer
    if not reading.question:
        return bare
    _confirm(reading, fragment, text)
    before = reading.said.earlier[-1].content if reading.said.earlier else ""
    if full := framed(reading.question, bare, reading.scene, plain(before)):
        return full
    if in_the_past(reading.question) and not bare.startswith(("我", "之前", "以前")):
        return f"之前{bare}"
    return bare


def _confirm(reading: Reading, fragment: Fragment, text: str) -> None:
    said = confirmed(reading.question, text)
    if said and (clause := clause_of(said, reading.scene)):
        _add(reading, statement_of(clause, SURE), fragment)
        if clause.explicit:
            reading.scene.running = clause.who


def _pass_over(reading: Reading, fragment: Fragment, text: str, bare: str) -> None:
    """A fragment that is not kept may still answer, or say whom the talk is about."""
    if fragment.n == 0 and reading.question:
        _confirm(reading, fragment, text)
    _introduces(reading, bare)


def _introduces(reading: Reading, bare: str) -> bool:
    """她是我表妹: says nothing by itself, but whom the talk is about."""
    found = pattern(r"^(?:他|她|它)(?:就)?是我(?:家|的)?(?P<r>[\u4e00-\u9fff]{1,4})$").match(bare)
    if found:
        reading.scene.running = person(found["r"], "", reading.scene.known)
        reading.scene.remember(reading.scene.running)
    return found is not None


def _presupposed(reading: Reading) -> Iterator[Statement]:
    """我家那只橘猫…, 我女儿…: whatever is said of them, the user has them."""
    mentioned = " ".join(plain(one.content) for one in [*reading.found, *reading.said.earlier])
    for fragment, verdict in zip(reading.said.fragments, reading.verdicts, strict=False):
        text = plain(fragment.text)
        if verdict.keep or verdict.reason not in _TAKES_FOR_GRANTED or "我" not in text:
            continue
        if pattern("[你您].{0,2}[当做]我").search(text):
            continue
        for who in people_in(text, reading.scene.known):
            named = who.display.removeprefix("用户的")
            pet = who.gender == "it"
            own = pet or who.relation in CHILDREN or who.relation in PARTNERS
            if (
                not own
                or who.name in mentioned.split()
                or named in mentioned
                or (who.relation in mentioned)
            ):
                continue
            if who.relation in reading.said.known or who.name in reading.said.known.values():
                continue
            mentioned += named
            attribute = "pet" if pet else "child" if who.relation in CHILDREN else "partner"
            yield Statement(
                f"用户{'养了' if pet else '有'}{named}", USER, attribute, who.name or who.relation,
                mentions=(who.mention,), topic="宠物" if pet else "家庭", fragments=(fragment.n,),
            )  # fmt: skip


_TAKES_FOR_GRANTED = ("question", "momentary", "feeling", "comment", "unrelated")


def _parts(bare: str) -> list[str]:
    """他线长我普工: two clauses in one breath."""
    jobs = pattern(rf"^([他她]{JOBS})(我{JOBS})$").match(bare)
    if jobs:
        return [jobs[1], jobs[2]]
    if found := pattern(
        r"^([^我]{3,14}了)(我(?:还|又|也|就|都|在|要|想|天天|现在|只)[^我]{3,})$"
    ).match(bare):
        return [found[1], found[2]]
    return [bare]


_NEAR = 12
"""Fragments of a turn in which a role is looked for; more would cost too much in a long one."""
_REPLACES = r"^(?:现在|后来|又|就|只好|已经|刚)*(?:换|请|找|招|另|新)"
_LOOSE = ("habit", "price", "uses", "skill", "owns", "plan", "decision", "pregnancy", "setting")
"""Attributes that a bit of a sentence may show without being a sentence."""


def _stays_on(clause: Clause) -> bool:
    """Whether the talk goes on about someone after this clause: not when they only said or gave
    something."""
    if pattern(
        r"^(?:[^，]{0,4})(?:说|让|叫(?=用户|我)|建议|要求|答应|通知|告诉|催|同意|不同意"
        r"|觉得|认为|也这么)"
    ).match(clause.predicate):
        return False
    return not pattern(r"(?:给|让|跟|对|叫|教|陪|帮)用户").search(clause.predicate)


_WEAK_OPENING = (
    r"^(?:还|也|都|就|又|再|才|那|这|先|是我|是给|是因为|是从|让|反正|总|连|只能"
    r"|只好|只要|说了|对不住|对不起|一身|做完|验了|查了|复查了|想了|试了|问了|考完"
    r"|搞完|又改了|又换了|定下来了|定了$)"
)


def _says_enough(bare: str, clause: Clause, strong: bool) -> bool:
    """Whether a clause is worth a sentence of its own."""
    if pattern(r"^(?:是我|是给|是因为|是从)").match(bare):
        return False
    if strong and not pattern(r"^(?:又|都|也|已经)?(?:改|换|停|推翻|升)了$").match(
        clause.predicate
    ):
        return size(clause.predicate) >= 2
    if clause.explicit and (
        clause.who.name or pattern(r"(?:定|改|换|取好名字)了$").search(clause.predicate)
    ):
        return size(clause.predicate) >= 2
    if clause.explicit and clause.predicate in ("抽烟", "吸烟", "喝酒", "酗酒", "信佛", "信教"):
        return True
    if clause.explicit:
        return size(clause.predicate) >= (2 if clause.who.relation else 3) and not pattern(
            r"^(?:说了|决定了|答应了|是这样|又得)"
        ).match(clause.predicate)
    if bare.startswith("在") and size(bare) == 3:
        return True
    return size(bare) >= 4 and not pattern(_WEAK_OPENING).match(bare)
