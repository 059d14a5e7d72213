"""What stands around a statement and belongs to it: the role of a new name, the drug of a dose."""

from __future__ import annotations

from loxodon.write.statements import Statement
from loxodon.write.zh.clean import plain, tidy
from loxodon.write.zh.leaving import given_up_before, known_as
from loxodon.write.zh.person import Clause
from loxodon.write.zh.reading import Reading
from loxodon.write.zh.syntax import nouns_in
from loxodon.write.zh.words import PLAIN_RELATION, pattern


def left_behind(reading: Reading, content: str) -> tuple[str, ...]:
    """What the clauses around a change are done with, by the names it may be known by."""
    start = max(0, reading.place - 3)
    before = [given_up_before(tidy(text)) for text in reading.texts[start : reading.place]]
    before += [known_as(thing)[-1] for thing in before if known_as(thing)]
    before += [noun for thing in before for noun in nouns_in(thing)]
    before += [thing[:2] for thing in before if len(thing) > 3 and not thing[0].isascii()]
    return tuple(
        dict.fromkeys(
            thing
            for thing in before
            if thing and thing not in content and known_as(thing) and thing not in PLAIN_RELATION
        )
    )


def in_context(reading: Reading, statement: Statement, clause: Clause) -> Statement:
    """A statement with what stands around it: the drug of a bare dose, what a slip put right,
    what the fragment before had turned down."""
    earlier = reading.said.earlier[-1] if reading.said.earlier else None
    role = pattern(
        r"换(?:了)?(?:个)?(导师|班主任|老板|教练|私教|组长|领导|房东|主唱|家教|辅导员)了?"
    ).search("，".join(reading.texts[:12]))
    name = pattern(
        r"(?:跟着?|是|叫)(?:[^，]{0,6}的"
        r"|[\u4e00-\u9fff]?教练)?(?P<n>[\u4e00-\u9fff]{1,3}(?:老师|总|哥|姐|教练|导)"
        r"|[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{2,3}(?=，|$))"
    ).search(statement.content)
    if role and name and not pattern(f"换(?:了)?(?:个)?{role[1]}").search(statement.content):
        content = statement.content
        if pattern("现在是").search(content):
            content = content.replace(
                "现在是", f"{'' if content.startswith('用户现在') else '的'}{role[1]}现在是", 1
            )
            content = content.replace(f"用户{role[1]}", f"用户的{role[1]}", 1)
        return statement._replace(
            content=content,
            subject=role[1],
            attribute="holder",
            value=name["n"],
            act="change",
            over=(role[1],),
        )
    if reading.slipped and earlier and earlier.subject == statement.subject and earlier.value:
        reading.slipped = False
        over = (*statement.over, plain(earlier.value))
        return statement._replace(
            act="correct", over=over, attribute=statement.attribute or earlier.attribute
        )
    if statement.attribute == "medication" and any(
        pattern(r"换了?(?:个|种)?药|药(?:也)?换了").search(text) for text in reading.texts[:12]
    ):
        statement = statement._replace(act="change")
    announced = pattern(r"^[^，我]{2,6}(?:又|也|都)?(?:改|换|变|调整?)了[，。！]?$")
    deed = pattern(r"^(?:现在|就|来)?(?P<v>[演唱弹教打骑卖种讲考报投])").match(clause.predicate)
    if statement.act == "state" and deed and any(map(announced.match, reading.texts[:12])):
        statement = statement._replace(act="change", over=(deed["v"],))
    if statement.act == "change" and len(reading.texts) > 1:
        left = left_behind(reading, statement.content)
        if (
            not left
            and reading.found
            and pattern(r"^(?:就|又|已经|现在|后来|都|直接)*[换改转]").match(clause.predicate)
        ):
            left = tuple(
                noun
                for noun in nouns_in(plain(reading.found[-1].content).removeprefix("用户的"))
                if noun not in PLAIN_RELATION and noun not in statement.content and known_as(noun)
            )
        turned = pattern(r"^(?P<a>(?:就|又|已经|现在|后来|都|直接)*)(?P<r>[换改转]成.+)$").match(
            clause.predicate
        )
        if left and turned and statement.content == f"用户{clause.predicate}":
            content = f"{clause.who.display}{turned['a']}把{left[0]}{turned['r']}"
            statement = statement._replace(content=content)
        statement = statement._replace(over=statement.over + left)
    last = reading.found[-1] if reading.found else earlier
    if (
        last
        and last.attribute == "birthday"
        and (
            day := pattern(r"^才?是(?P<d>[正腊冬初廿0-9一二三四五六七八九十月日号]{2,8})$").match(
                clause.predicate
            )
        )
    ):
        content = f"{clause.who.display}的生日是{day['d']}"
        return statement._replace(content=content, attribute="birthday", value=day["d"])
    if pattern(r"^用户周[一二三四五六日].*交$").match(statement.content):
        weekly = any("周报" in plain(one.content) for one in reading.said.earlier[-3:])
        if weekly:
            return statement._replace(
                content=statement.content.replace("用户", "用户的周报每", 1),
                attribute="deadline",
            )
    if (
        not clause.explicit
        and not reading.said.earlier
        and pattern(r"^(?:退烧|出院|断奶|痊愈|康复|病好)").match(clause.predicate)
    ):
        return statement._replace(content=f"用户说{clause.predicate}")
    dose = pattern(r"^用户(?:每天|一天|每日|每晚|早晚|一次)[^，]{0,6}[片粒颗次滴勺支]").match(
        statement.content
    )
    if (
        dose
        and earlier
        and earlier.attribute == "medication"
        and plain(earlier.value) not in statement.content
    ):
        content = statement.content.replace("用户", f"用户的{plain(earlier.value)}", 1)
        return statement._replace(content=content, attribute="dose")
    return statement
