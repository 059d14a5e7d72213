"""The rest of a clause in the third person: 我, 我们 and the pronouns named."""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.zh.clean import HAN
from loxodon.write.zh.people import THE_USER, Who, spoken_relation
from loxodon.write.zh.scene import Scene
from loxodon.write.zh.words import PLAIN_RELATION, SHORT_RELATION, alternatives, pattern

SHORT = "".join(word for word in SHORT_RELATION if len(word) == 1)
"""Relations of one character, which are words only after 我."""


@cache
def long_relations() -> str:
    return alternatives(word for word in PLAIN_RELATION if len(word) > 1)


def we(scene: Scene, rest: str = "") -> str:
    """我们 as a sentence says it: with whom, where that is known."""
    if pattern(
        r"用|上线|部署|开发|后端|前端|技术|消息队列|缓存|集群|换成了?[A-Z]|代码|迭代"
        r"|发版|接口|服务|架构|迁"
    ).search(rest):
        return "用户的团队"
    partner = scene.partner()
    if partner:
        return "用户和" + (partner.name or partner.display.removeprefix("用户的"))
    return "用户这边"


def household(tail: str, scene: Scene) -> str:
    partner = scene.partner()
    if partner and tail in ("俩", "两个", "两个人", "两"):
        return "和" + (partner.name or partner.display.removeprefix("用户的"))
    return {"俩": "两人", "两": "两", "两个": "两人", "两个人": "两人", "仨": "三人"}.get(
        tail, tail
    )


@cache
def _first_persons() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<kin>我们?(?:家|的)?(?:{long_relations()}|[{SHORT}](?![{HAN}]?(?:妇|夫))))"
        rf"|(?P<we>我们)(?P<org>村|镇|县|这片|这条街|这栋楼|家|那边|这边|公司|部门|组"
        rf"|团队|学校|小区|班|店|厂|单位|俩)?"
        r"|(?P<mine>我的|我家|我自己|我)"
    )


def third_person(text: str, scene: Scene, subject: Who = THE_USER) -> str | None:
    """`text` with every 我 written as 用户 and every pronoun as the one it means.

    None where it speaks to the assistant or of someone that cannot be told.
    """
    quoted: list[str] = []

    def hide(found: re.Match[str]) -> str:
        quoted.append(found[0])
        return f"\ue000{len(quoted) - 1}\ue001"

    text = pattern(r"《[^》]*》|“[^”]*”|「[^」]*」").sub(hide, text)
    text = pattern(r"你(?:知道|懂|晓得|看|说)(?:的|吧|吗|不|了)?(?=[，,]|$)").sub("", text)
    if pattern("[你您]").search(text):
        return None

    def first(found: re.Match[str]) -> str:
        if found["kin"]:
            word = pattern("^我们?(?:家|的)?").sub("", found["kin"])
            return f"用户的{spoken_relation(word)}"
        if found["we"]:
            org = found["org"] or ""
            if org == "俩":
                return "用户" + household("俩", scene)
            own = "的" if org and org not in ("家", "那边", "这边") else ""
            own = "所在的" if org[:1] in ("村", "镇", "县", "这") and org != "这边" else own
            return f"用户{own}{org}"
        return {"我的": "用户的", "我家": "用户家", "我自己": "用户自己"}.get(found["mine"], "用户")

    text = _first_persons().sub(first, text)
    resolved = _resolved(text, scene, subject)
    if resolved is None:
        return None
    return pattern("\ue000([0-9]+)\ue001").sub(lambda found: quoted[int(found[1])], resolved)


def _kin_after(found: re.Match[str]) -> bool:
    """她 in 她孙子, 她老公: whose."""
    return bool(pattern(long_relations()).match(found.string, found.end()))


def _resolved(text: str, scene: Scene, subject: Who) -> str | None:
    """`text` with 他, 她 and 它 named; None if one of them cannot be."""
    unclear = False

    def third(found: re.Match[str]) -> str:
        nonlocal unclear
        who = scene.meant_by(found[1])
        itself = who is not None and who.key == subject.key and subject is not THE_USER
        if itself and not found[2] and found.start():
            return "自己" + ("的" if found[3] or _kin_after(found) else "")
        if who is None or itself or (found[2] and not found[3]):
            unclear = True
            return found[0]
        short = who.name or who.display.removeprefix("用户的")
        follows = found.string[found.end() : found.end() + 1]
        space = " " if short[-1:].isascii() and follows.isascii() and follows.isalnum() else ""
        return short + ("的" if found[3] else space)

    text = pattern(
        r"(?<![其吉伐排维])([他她它])(们?)(的|(?=妈|爸|厂|公司|家))?(?!人|乡|国|汀|美)"
    ).sub(third, text)
    return None if unclear else text
