"""First person to third: a clause as it was said becomes a sentence about someone.

`clause_of` finds whom a clause is about (the user, someone by relation or name, the one a pronoun
means, a thing of the user's, or whoever the talk is running about) and writes it so that it stands
alone. Where that is not clear it gives None: better nothing than a sentence about nobody.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from loxodon.write.statements import USER
from loxodon.write.zh.about_self import CITIES
from loxodon.write.zh.clean import HAN
from loxodon.write.zh.people import (
    THE_USER,
    Who,
    name_pattern,
    person,
    person_pattern,
    pet,
    pet_pattern,
    pets,
    spoken_relation,
)
from loxodon.write.zh.scene import Scene
from loxodon.write.zh.syntax import is_noun, noun_head, words_in
from loxodon.write.zh.third import SHORT, household, long_relations, third_person, we
from loxodon.write.zh.words import (
    BODY,
    CHILDREN,
    CLAUSE_OPENINGS,
    EMPLOYERS,
    FAMILY,
    LEAD_WORDS,
    PLAIN_RELATION,
    POSSESSIONS,
    SHORT_RELATION,
    alternatives,
    pattern,
)


class Clause(NamedTuple):
    who: Who
    predicate: str
    """What is said of them, in the third person."""
    content: str
    explicit: bool
    """Whether the clause named its subject itself."""


_MANY_CHARACTERS = [word for word in CLAUSE_OPENINGS.split() if len(word) > 1]


@cache
def _subjects() -> re.Pattern[str]:
    """What may open a clause as its subject, with what is said before it."""
    date = (
        "(?:[0-9]{1,4}[年月号日点/.-][0-9月号日点半/.-]*|周[一二三四五六日末天]"
        "|星期[一二三四五六日天]|[一二三四五六七八九十]+月(?:份|底|初)?)"
    )
    lead = rf"(?:(?:{alternatives(LEAD_WORDS)}|{date})(?:的时候|份|开始|起)?[，, ]?){{0,3}}"
    name = name_pattern()
    short = alternatives(SHORT_RELATION)
    kin = (
        rf"(?P<kin>(?:新|前|原|小学|初中|高中|大学|公司|部门|隔壁"
        rf"|这边的?)?(?:{long_relations()})"
        rf"|(?<=[我他她家们的])(?:{short})(?![{HAN}]?(?:妇|夫|子))|娃(?=现|已|自|今|上|在"
        rf"|都|也|会|又|昨|最|老|才|升|考|转|进|去|换|不|没|刚|读|学))"
    )
    return re.compile(
        rf"(?P<lead>{lead})(?:"
        rf"(?P<own>我们?家?的?|他们?家?的?"
        rf"|她"
        rf"们?家?的?)?{kin}(?P<house>家)?(?:的)?(?P<kin2>(?:{long_relations()}))?(?P<kname>{name})?"
        rf"|(?P<we>我们)(?P<wetail>俩|两口子|夫妻俩?|一家人?|全家|两个?人?|仨|几个人?|四个人?)?"
        rf"|(?P<i>我)(?:自己(?!租|住|一个人|过|在家|带)|本人|个人|这人|这个人|这边|这儿|这里)?"
        rf"|(?P<pronoun>他们|她们|它们|他|她|它)"
        rf")"
    )


@cache
def _starts_by_itself() -> re.Pattern[str]:
    return re.compile(
        rf"(?!快递|闲鱼)(?:{alternatives(CLAUSE_OPENINGS.split() + LEAD_WORDS.split())})"
    )


@cache
def _possessions() -> re.Pattern[str]:
    long = alternatives(word for word in POSSESSIONS.split() if len(word) > 1)
    short = alternatives(word for word in POSSESSIONS.split() if len(word) == 1)
    return re.compile(
        rf"(?i:{long})(?!子|们|日(?!语))|(?:{short})(?=[在是有没要被叫已也还都很就里上卖坏丢换停提修租买搬])"
    )


@cache
def _body() -> re.Pattern[str]:
    return re.compile(alternatives(BODY))


def clause_of(text: str, scene: Scene) -> Clause | None:
    """A clause (plain, tidied) written about whom it is about, or None where that is unclear."""
    text = text.replace("我们家", "我家")
    if pattern(r"^其(?![实中他它余次所间])").match(text):
        last = scene.running if scene.running is not THE_USER else scene.last_named()
        return last and _made(last, f"{last.display}的", "", text[1:].lstrip("的"), scene)
    named = _named_subject(text, scene)
    if named:
        return named
    found = _subjects().match(text)
    if found and (clause := _explicit(text, found, scene)):
        return clause
    if "我" in text:
        return _about_me(text, scene)
    return _bare(text, scene)


def _about_me(text: str, scene: Scene) -> Clause | None:
    """A clause with 我 somewhere in it: as its object, it still wants a subject."""
    who = scene.running
    rest = third_person(text, scene, who)
    if not rest:
        return None
    if pattern(
        r"^(?:现在|目前|后来)?(?:是|由|换成?了?)[^，我]{1,8}(?:带|教|管|照顾|陪|辅导)我"
    ).match(text):
        return Clause(THE_USER, rest, rest, False)
    if pattern(r"^(?:还|又|也|就)?(?:给|让|叫|不让|建议)我").match(text):
        return Clause(THE_USER, rest, f"{scene.speaker}{rest}", True) if scene.speaker else None
    if who is not THE_USER and pattern(r"^(?:现在|就|也)*(?:成|当)了?我").match(text):
        return Clause(who, rest, _glued(who.display, rest), False)
    if pattern(r"^[^我]{2,12}(?:都|全|就|总)是我$").match(text):
        return Clause(THE_USER, rest, rest, False)
    done_to_me = pattern(
        rf"^(?:{alternatives(LEAD_WORDS)}|还|又|也|老|总|天天|常)*(?:给|帮|替|教|陪|送|借|催|骂|夸|请)(?:了|过)?我(?P<kin>[们自家的]|{long_relations()}|[{SHORT}])?"
    ).match(text)
    if done_to_me and done_to_me["kin"]:
        return Clause(who, rest, _glued(who.display, rest), False)
    if done_to_me:
        giver = who if who is not THE_USER else scene.last_named()
        return giver and Clause(giver, rest, _glued(giver.display, rest), False)
    does = rf"^[{HAN}]{{2,5}}(?:拒|录|给|找|联系|约|让|叫|催|骂|夸|派|问|送|教)(?:了|取了|过)?我"
    if pattern(
        rf"(?:{alternatives(LEAD_WORDS)}|[0-9一二三四五六七八九十年月日号上下个周])+是我"
    ).match(text):
        return Clause(THE_USER, rest, rest, True)
    if _starts_by_itself().match(text) and not pattern(rf"(?:是|有)|{does}").match(text):
        after = rest.replace("用户的", "", 1) if who is THE_USER else rest
        return Clause(who, after, _glued(who.display, after), False)
    return Clause(THE_USER, rest, rest, False)


def _named_subject(text: str, scene: Scene) -> Clause | None:
    """A clause that opens with a name the session or the memory knows, or a name's form."""
    lead = pattern(rf"(?:(?:{alternatives(LEAD_WORDS)}),? ?)*").match(text)
    start = lead.end() if lead else 0
    names = {who.name: who for who in scene.people if who.name}
    for relation, name in scene.known.items():
        names.setdefault(
            name,
            person(relation, name, {})
            if relation in PLAIN_RELATION
            else Who(name, name, relation, name, "it" if _is_pet(relation) else ""),
        )
    for name in sorted(names, key=len, reverse=True):
        short = name[1:] if len(name) == 3 and pattern(f"[{HAN}]{{3}}").fullmatch(name) else name
        for form in (name, short):
            if len(form) > 1 and text.startswith(form, start):
                rest = third_person(text[start + len(form) :], scene, names[name])
                if rest is None:
                    return None
                who = names[name]
                predicate = text[:start] + rest
                return Clause(who, predicate, _glued(who.display, predicate), True)
    titled = pattern(
        rf"(?P<where>(?:楼[上下]|隔壁|对门|对面|门口|小区|公司|单位|店里|班[里上]|村[里头]|学校|医院)的?)?"
        rf"(?:[小老阿][{HAN}](?![{HAN}]?[年月时里店板师家学们上号程])"
        rf"|[A-Z][a-z]+(?=走了|离职|辞职|跳槽|升|休|怀|生了|结婚|请假|回国|调|退)"
        rf"|[{HAN}]{{1,3}}(?:老师|医生|大夫|教授|总|师傅|阿姨|叔叔|经理|律师|教练"
        rf"|主任))(?=[在是说去要想也都跟和把被给最现升离考怀换搬结生有没不休跳"
        rf"很会能真做当开住读教管今昨明下上刚已退调走辞请病回查吃喝跑拉吐掉"
        rf"睡摔受得又发应可好估据听天]|(?<=老师|医生|大夫|教授|师傅|经理|主任|律师|教练)[{HAN}])(?!的)"
    ).match(text, start)
    if titled and _is_name(titled[0].removeprefix(titled["where"] or "")):
        name = titled[0].removeprefix(titled["where"] or "")
        gender = {"阿姨": "f", "叔叔": "m"}.get(name[-2:], "")
        who = Who(titled[0], name, "", name, gender)
        scene.remember(who)
        rest = third_person(text[titled.end() :], scene, who)
        return (
            Clause(who, text[:start] + rest, titled[0] + text[:start] + rest, True)
            if rest
            else None
        )
    return None


def _is_pet(kind: str) -> bool:
    return bool(pattern(rf"(?:{pets()})$").search(kind))


def _is_name(word: str) -> bool:
    return bool(pattern(name_pattern()).match(word)) and word not in PLAIN_RELATION


def _explicit(text: str, found: re.Match[str], scene: Scene) -> Clause | None:
    lead, rest = found["lead"], text[found.end() :]
    if found["i"]:
        return _first_person(lead, rest, scene)
    if found["we"]:
        return _we(lead, rest, found["wetail"] or "", scene)
    if found["pronoun"]:
        return _pronoun(lead, rest, found["pronoun"], scene)
    return _relation(lead, rest, found, scene)


def _made(who: Who, display: str, lead: str, rest: str, scene: Scene) -> Clause | None:
    after = third_person(rest, scene, who)
    if after is None or not (lead + after):
        return None
    predicate = lead.rstrip("，, ") + after.lstrip("，, ")
    return Clause(who, predicate, _glued(display, predicate), True)


def _glued(display: str, predicate: str) -> str:
    """A subject and what is said of it, with a space between two Latin words."""
    space = (
        " "
        if display[-1:].isascii() and predicate[:1].isascii() and predicate[:1].isalnum()
        else ""
    )
    return display + space + predicate


def _first_person(lead: str, rest: str, scene: Scene) -> Clause | None:
    together = pattern(
        rf"(?:和|跟|与|同)(?:我)?(?P<other>(?:{long_relations()}"
        rf"|[{SHORT}])(?:{name_pattern()})?|{name_pattern('2')})(?=[，,]?(?:俩|两个人?|都"
        rf"|一起|在|去|今|明|打|准|要|想|有|没|开|合|住|是|的|各|分|结|领|复|吵))"
    ).match(rest)
    if together:
        scene.notice("我" + together["other"])
        display = f"用户和{spoken_relation(together['other'])}"
        if rest[together.end() :] in ("住", "过", "生活"):
            return _made(THE_USER, display, lead, f"一起{rest[together.end() :]}", scene)
        return _made(THE_USER, display, lead, rest[together.end() :], scene)
    if found := pattern(
        rf"家?的?(?:那"
        rf"|这)?[一两三]?[只条]?(?P<pet>{pets()})(?P<name>(?![死走丢病没跑"
        rf"不去在是又最昨今吃喝叫爱喜现每特挺很也都就])[{HAN}](?![了的])[{HAN}](?=[今昨在是又最，,]"
        rf"|$))?"
    ).match(rest):
        who = pet(found["pet"], found["name"] or "", scene.known)
        scene.remember(who)
        return _made(who, who.display, lead, rest[found.end() :], scene)
    if rest.startswith(("的", "家")) and len(rest) > 2:
        return _made(THE_USER, f"{lead}用户", "", rest, scene)
    if _possessions().match(rest) and not pattern(_NOT_OWNED).match(rest):
        return _made(THE_USER, f"{lead}用户的", "", rest, scene)
    return _made(THE_USER, "用户", lead, rest, scene)


_NOT_OWNED = (
    r"(?:家|号|组|班|房|药|病|地|方向|计划|考试|面试|住|手术|本科|硕士|博士|研究生"
    r"|高中|大学|通勤|兼职|英语|日语|六级|四级|习惯|口味|作息)"
)
"""Things of the user's that are also verbs or adverbs right after 我."""


def _we(lead: str, rest: str, tail: str, scene: Scene) -> Clause | None:
    if tail:
        return _made(THE_USER, f"用户{household(tail, scene)}", lead, rest, scene)
    if pattern(r"村|县|镇|乡|市").match(rest):
        return _made(THE_USER, f"{lead}用户所在的", "", rest, scene)
    if pattern(r"家|那边|这边|这儿|那儿|这里|这").match(rest):
        return _made(THE_USER, f"{lead}用户", "", rest, scene)
    if pattern(r"(?:组|班|队|科室|支部|寝室)(?=[的现有一里就都共用从把在是要开每改换])").match(
        rest
    ):
        return _made(THE_USER, f"{lead}用户的", "", rest, scene)
    noun = pattern(
        rf"(?:的)?(?P<n>(?i:{alternatives(POSSESSIONS)})|[{HAN}A-Za-z ]{{1,6}}?(?:公司"
        rf"|部门|组|团队|学校|小区|班|店|厂|单位|宿舍|project|app|项目|老师|医院))"
    ).match(rest)
    if noun:
        return _made(THE_USER, f"{lead}用户的", "", rest.lstrip("的"), scene)
    return _made(THE_USER, we(scene, rest), lead, rest, scene)


def _pronoun(lead: str, rest: str, pronoun: str, scene: Scene) -> Clause | None:
    if pronoun in ("他们", "她们") and (pair := scene.last_two()):
        display = f"{pair[0].display}和{pair[1].name or pair[1].display.removeprefix('用户的')}"
        return _made(Who(display, pair[0].key), display, lead, rest, scene)
    who = scene.meant_by(pronoun)
    if who is None or len(pronoun) > 1:
        return None
    kin = pattern(rf"(?:的)?(?P<kin>{long_relations()}|[{SHORT}])(?=[{HAN}])").match(rest)
    if kin:
        display = f"{who.display}的{spoken_relation(kin['kin'])}"
        other = Who(display, display.removeprefix("用户的"), "", "", "")
        return _made(other, display, lead, rest[kin.end() :], scene)
    return _made(who, who.display, lead, rest, scene)


_DOCTORS = ("医生", "大夫", "主治医生", "中介", "主治")
_TELLS = (
    r"(?P<lead>[^，]{0,4}?)(?P<v>说(?:是)?|诊断(?:是|为)?|怀疑(?:是)?|判断(?:是)?|让|建议|叫|不让|给(?=开|换|加|减|调|配)"
    r"|要求)(?!用户|我|他|她)"
)


def _told(lead: str, rest: str, kin: str, scene: Scene) -> Clause | None:
    """医生说…, 大夫让…: what is said or ordered is about whoever the talk is about."""
    found = pattern(_TELLS).match(rest)
    if not found:
        return None
    who = scene.running
    after = third_person(rest[found.end() :], scene, who)
    if not after:
        return None
    said = found["v"].removesuffix("是").removesuffix("为")
    be = "是" if found["v"].endswith(("是", "为")) else ""
    own = (
        ""
        if person_pattern().match(after) or pattern("用户|先|下|可能要").match(after)
        else who.display
    )
    scene.speaker = kin
    content = f"{kin}{lead}{found['lead']}{said}{own}{be}{after}"
    return Clause(who, f"医生{said}{be}{after}", content, True)


def _owner(kin: str, own: str, scene: Scene) -> str:
    """Whose relation it is: the user's, unless the talk runs about someone who has it."""
    running = scene.running
    plain = PLAIN_RELATION.get(kin, kin)
    if own or running is THE_USER or running.gender == "it":
        return "用户"
    if running.relation in CHILDREN and plain.endswith("老师"):
        return running.display
    if running.relation in CHILDREN and plain in (
        "班主任",
        "老师",
        "辅导员",
        "同学",
        "同桌",
        "教练",
        "朋友",
        "室友",
        "校长",
    ):
        return running.display
    near = running.relation in FAMILY and not pattern("表|堂|姑|舅|姨|叔|伯|侄|甥").search(
        running.relation
    )
    if not near and plain in (
        "孩子",
        "儿子",
        "女儿",
        "丈夫",
        "妻子",
        "老大",
        "老二",
        "男朋友",
        "女朋友",
        "对象",
    ):
        return running.display
    return "用户"


def text_of(found: re.Match[str]) -> str:
    """What a pattern has matched of a clause."""
    return str(found[0])


def _relation(lead: str, rest: str, found: re.Match[str], scene: Scene) -> Clause | None:
    kin, name = found["kin"], found["kname"] or ""
    own = found["own"] or ""
    owner = _owner(kin, own, scene)
    if kin == "主管" and not (own or name) and not pattern("[是在说让要也给不叫很]").match(rest):
        return None  # 主管生产 is what someone does
    if kin in _DOCTORS and not name and (told := _told(lead, rest, kin, scene)):
        return told
    if own and own[0] in "他她":
        other = scene.meant_by(own[0])
        if other is None:
            return None
        owner = other.display
    if found["house"] or found["kin2"]:
        return _household_member(lead, rest, found, scene)
    if not name and text_of(found).endswith("的"):
        rest = f"的{rest}"
    if theirs := pattern(rf"^[他她](?:的)?(?P<kin>{long_relations()}|[{SHORT}])(?=[{HAN}])").match(
        rest
    ):
        display = f"{owner}的{spoken_relation(kin)}{name}的{spoken_relation(theirs['kin'])}"
        other = Who(display, display.removeprefix("用户的"), "", "", "")
        scene.remember(other)
        return _made(other, display, lead, rest[theirs.end() :], scene)
    rest = pattern(r"^[他她](?=[是在有今现已也还会去要做当教开从最特])").sub("", rest)
    if pattern("们").match(rest):
        who = Who(f"{owner}的{kin}们", f"{kin}们")
        return _made(who, who.display, lead, rest[1:], scene)
    if pattern(r"(?:的)(?![话是])").match(rest) and not name:
        return _made(
            Who(
                f"{owner}的{spoken_relation(kin)}",
                PLAIN_RELATION.get(kin, kin),
                PLAIN_RELATION.get(kin, kin),
            ),
            f"{owner}的{spoken_relation(kin)}",
            lead,
            rest,
            scene,
        )
    who = person(kin, name, scene.known, owner)
    if (
        kin in _DOCTORS
        and not name
        and pattern(
            "[^，]{0,4}(?:说|让|给|建议|叫|怀疑|觉得|认为|确诊|诊断|把|开|加|减|停|换|调)"
        ).match(rest)
    ):
        who = Who(kin, USER)
        scene.speaker = kin
    scene.remember(who)
    return _made(who, who.display, lead, rest, scene)


def _household_member(lead: str, rest: str, found: re.Match[str], scene: Scene) -> Clause | None:
    """大伯家堂弟阿光, 我姐家, 女儿教练方老师."""
    first, second, name = spoken_relation(found["kin"]), found["kin2"], found["kname"] or ""
    if not second:
        display = f"用户的{first}家"
        base = person(found["kin"], "", scene.known)
        return _made(base, display, lead, rest, scene)
    titled = second in ("阿姨", "叔叔", "大哥", "大姐", "老师", "师傅") and not found["house"]
    joint = "家" if found["house"] else "" if titled else "的"
    display = f"用户的{first}{joint}{second}{name}"
    if not name:
        given = pattern(rf"(?P<n>[{HAN}]{{2}})(?=[升离考怀换搬结生在去是有]|$)").match(rest)
        if given and given["n"] not in LEAD_WORDS.split():
            name, rest = given["n"], rest[given.end() :]
            display += name
    who = Who(display, name or second, PLAIN_RELATION.get(second, second), name, "")
    scene.remember(who)
    return _made(who, display, lead, rest, scene)


def _bare(text: str, scene: Scene) -> Clause | None:
    """A clause without a subject: about a thing of the user's, or about the running subject."""
    who = scene.running
    pronoun = pattern(r"(?<![其吉伐排维])[他她它](?!们|人|乡|国|汀)").search(text)
    if pronoun and scene.meant_by(pronoun[0]) == who:
        who = THE_USER  # 我妈病了，回老家照顾她: nobody looks after themselves
    rest = third_person(text, scene, who)
    if rest is None:
        return None
    if that := pattern(rf"^那[台辆套趟部本间份把张块件款双栋场只条](?=[{HAN}A-Za-z]{{2}})").match(
        rest
    ):
        named = rest[that.end() :]
        return Clause(THE_USER, named, f"用户的{named}", True)
    if text.startswith("预产期") and (mother := scene.last_woman()):
        return Clause(mother, rest, f"{mother.display}{rest}", True)
    if found := pattern(rf"^(?P<p>(?:{alternatives(CITIES)}))人(?:都|就|嘛|，|$)").match(text):
        return Clause(THE_USER, f"是{found['p']}人", f"用户是{found['p']}人", True)
    if own := _own_subject(text):
        return Clause(own, rest[len(own.name) :], rest, True)
    if (
        not _starts_by_itself().match(text)
        and (
            found := pattern(rf"^(?P<t>[{HAN}A-Za-z]{{2,8}})把(?P<o>[{HAN}A-Za-z]{{2,8}})").match(
                text
            )
        )
        and is_noun(found["t"])
    ):
        return Clause(THE_USER, rest, f"{found['t']}把用户的{rest[found.start('o') :]}", False)
    if found := pattern(rf"^(?P<t>[{HAN}A-Za-z]{{2,8}})给(?:了)?offer").match(text):
        return Clause(THE_USER, rest, f"{found['t']}给用户发了offer", False)
    if found := pattern(r"^(?P<t>[A-Za-z][\w+#.]*)是(?P<r>.*(?:学|用|做|写|买|装|搞)的)$").match(
        text
    ):
        return Clause(THE_USER, rest, f"{found['t']}是用户{found['r']}", False)
    if pattern(r"^[A-Za-z][\w.+#-]*(?=用的?|是|在|跑在|部署|走|换|还是)").match(text):
        return Clause(THE_USER, rest, f"用户的{rest}", True)
    if body := _body().match(text):
        return Clause(who, rest, f"{who.display}{'的' if len(body[0]) > 1 else ''}{rest}", False)
    if found := pattern(rf"(?:{pets()})(?![粮砂窝绳牌笼罐条抓舍油香丸肉干缸塘汤片刺])").match(text):
        animal = pet(found[0], "", scene.known)
        return Clause(animal, rest[found.end() :], f"用户的{rest}", len(rest) > found.end())
    if _possessions().match(text):
        return Clause(THE_USER, rest, f"用户的{rest}", True)
    now = pattern(r"(?:现在|目前|今年|这个月)").match(text)
    if now and rest.startswith(now[0]) and (mine := _possessions().match(rest, now.end())):
        straight = f"{mine[0]}{now[0]}{rest[mine.end() :]}"
        return Clause(THE_USER, straight, f"用户的{straight}", True)
    if pattern(
        r"(?:店|厂|公司|村|家|学校|单位|班|组|团队|宿舍|科室|医院|工地|地|屋|院子)(?:里|上)"
    ).match(text):
        return Clause(THE_USER, rest, f"用户{rest}", True)
    if who is THE_USER and _is_a_verdict(text):
        return Clause(THE_USER, f"觉得{rest}", f"用户觉得{rest}", False)
    if who is THE_USER and (own_noun := _of_a_noun(text, rest)):
        return own_noun
    return Clause(who, rest, _glued(who.display, rest), False)


_ACTS = r"(?:都|也|又|刚|昨天|今天|已经)*(?:说|通知|让|要求|给|把|来|打电话|催|建议|答应|同意|拒绝|叫|发|规定|决定|推荐|问)"


def _of_a_noun(text: str, rest: str) -> Clause | None:
    """物业说漏水, 风险承受能力一般: a clause with a subject of its own, which no list knows."""
    head = noun_head(text)
    if not head or not rest.startswith(head) or _starts_by_itself().match(text):
        return None
    if pattern(_ACTS).match(rest[len(head) :]) or words_in(text)[0][1] in ("nr", "nrt"):
        return Clause(THE_USER, rest, rest, False)
    return Clause(THE_USER, rest, f"用户的{rest}", False)


def _is_a_verdict(text: str) -> bool:
    """美的电饭煲真好用: what someone thinks of a thing they name."""
    found = pattern(
        r"^(?P<n>(?![一二两三四五六七八九十0-9])[^，我]{2,16}?)(?:真心?|真的?是|也|都|很|挺|特别|太|非常|超级?|有点|不太|确实|比较|简直|够)+"
        r"(?:[\u4e00-\u9fff]{1,6}|个?[\u4e00-\u9fff]{2,12}的[\u4e00-\u9fff]{2,4})$"
    ).match(text)
    return (
        found is not None
        and not pattern("(?<!太)[^太好真]{1,4}了$").search(text)
        and not _starts_by_itself().match(text)
        and not _possessions().match(text)
        and not _body().match(text)
        and not pattern("[了着过]").search(found["n"])
    )


_OCCASION = (
    r"(?:会|展|赛|节|课|班|活动|之旅|论坛|盛典|行动|讲座|培训|沙龙|仪式|项目|演出|聚会|婚礼|派对|趴"
    r"|体验日?|开放日|盛宴|庆典|探秘|行|游|购|营)"
)
_PARTICULARS = frozenset(
    [
        "时间",
        "地点",
        "规模",
        "持续时间",
        "主要内容",
        "内容",
        "主题",
        "日期",
        "人数",
        "票价",
        "举办地点",
        "举办时间",
        "开始时间",
        "结束时间",
        "报名费",
        "费用",
        "名称",
        "截止日期",
        "截止时间",
        "地址",
        "主办方",
        "负责人",
        "联系人",
        "参加人数",
    ]
)
"""What is told of an occasion that one goes to."""


def of_an_occasion(text: str) -> re.Match[str] | None:
    """销售研讨会的地点是深圳: what is told of something to go to."""
    found = pattern(
        r"^(?P<x>[^，。？?我]{2,20})的(?P<y>[^，的是为在有]{2,6})(?:是|为|在|有|：|:|定在|大概)"
    ).match(text)
    return found if found and found["y"] in _PARTICULARS else None


def _own_subject(text: str) -> Who | None:
    """The thing that a clause is about if it names it itself: 研讨会 in 研讨会的地点是深圳."""
    found = of_an_occasion(text)
    if not found:
        return None
    named = pattern(rf"{_OCCASION}$").search(found["x"])
    if not named and _starts_by_itself().match(text):
        return None
    if _possessions().fullmatch(found["x"]):
        return None
    return Who(found["x"], found["x"], "", found["x"], "it")


def stands_alone(text: str) -> bool:
    """Whether a clause without a subject is a sentence once it gets one: it opens with a verb, an
    adverb, a time, a thing of the user's."""
    return bool(
        _starts_by_itself().match(text)
        or _possessions().match(text)
        or _body().match(text)
        or _subjects().match(text)
        or pet_pattern().match(text)
        or pattern(
            rf"(?:[0-9一二三四五六七八九十]+月[0-9一二三四五六七八九十]*[号日底初]?"
            rf"|周[一二三四五六日末])[{HAN}]{{2}}"
        ).match(text)
        or pattern(rf"(?:{pets()})").match(text)
        or pattern(
            rf"新(?:公司|单位|工作|房子|家|手机|电脑|车|学校|老板|领导|同事|室友|邻居)|(?i:{alternatives(EMPLOYERS)})|(?:家|屋|店|厂|班|村|宿舍|公司|单位|学校)(?:里|上)"
        ).match(text)
    )


def opens_with_own(head: str) -> bool:
    """Whether the head of a clause is an adverb, a time, or something or someone of the user's."""
    return bool(
        pattern(rf"(?:{alternatives(LEAD_WORDS)}|{alternatives(_MANY_CHARACTERS)})").match(head)
        or _possessions().match(head)
        or _body().match(head)
        or _subjects().match(head)
        or pattern(rf"(?:{pets()})").match(head)
        or pattern(
            r"(?:店|家|公司|学校|单位|厂|班|组|村|团队|自己|新|旧|现|身份证|体检|健检|检查"
            r"|复查|化验|户口|风格|这次|那时|年轻|老了)"
        ).match(head)
    )
