"""Labels of a statement: its category, its topic, and what it names."""

from __future__ import annotations

from loxodon.write.attributes import ATTRIBUTES
from loxodon.write.statements import USER, Act, EntityType, Mention
from loxodon.write.zh.attributes import Found
from loxodon.write.zh.people import Who
from loxodon.write.zh.words import pattern

_NAMES: dict[str, EntityType] = {
    "home": "place",
    "workplace": "place",
    "hometown": "place",
    "visited": "place",
    "employer": "organisation",
    "school": "organisation",
    "membership": "organisation",
    "project": "project",
    "car": "product",
    "phone": "product",
    "computer": "product",
    "uses": "product",
    "database": "product",
    "subscription": "product",
    "medication": "product",
}
_TOPICS = {
    "工作": "employer workplace occupation salary manager colleague",
    "住处": "home living_with landlord",
    "学习": "school major grade education degree score certificate teacher",
    "健康": "allergy condition medication dose surgery injury symptom vaccine pregnancy doctor "
    "eyesight weight",
    "饮食": "diet",
    "喜好": "likes dislikes prefers avoids favourite",
    "爱好": "hobby plays watches reads",
    "家庭": "partner child parent sibling relative marital_status",
    "宠物": "pet",
    "朋友": "friend knows",
    "身份": "name nickname age birthday gender nationality hometown zodiac ethnicity religion "
    "blood_type height",
    "项目": "project decision uses stack database deploy_target default_branch version convention "
    "deadline",
    "计划": "plan goal todo reminder schedule",
    "习惯": "habit commute bedtime wake_time",
    "物品": "owns car phone computer subscription membership",
    "钱": "budget price",
    "语言": "language native_language",
    "技能": "skill",
    "回复方式": "reply_language reply_style form_of_address rule",
}
_TOPIC_OF = {name: topic for topic, names in _TOPICS.items() for name in names.split()}
_TOPIC_WORDS = (
    ("健康", r"医院|医生|病|药|手术|体检|疼|住院|出院|血压|血糖"),
    ("工作", r"公司|上班|同事|老板|客户|项目|加班|工作|面试|offer|裁"),
    ("学习", r"考试|学校|老师|作业|论文|课|读书|成绩|导师"),
    ("住处", r"房子|房租|装修|小区|搬家|租"),
    ("宠物", r"猫|狗|宠物"),
    ("钱", r"房贷|工资|钱|贷款|存款|股|基金"),
    ("出行", r"机票|火车|酒店|旅|航班|签证"),
    ("家庭", r"孩子|儿子|女儿|老公|老婆|妈|爸|婆婆|结婚|离婚"),
    ("饮食", r"吃|喝|菜|饭"),
)


def topic_of(attribute: str, content: str) -> str:
    if attribute in _TOPIC_OF:
        return _TOPIC_OF[attribute]
    return next((topic for topic, words in _TOPIC_WORDS if pattern(words).search(content)), "")


_FUTURE = (
    r"打算|准备|计划|明天|后天|下周|下个?月|明年|下下|过几天|年底|月底|下半年"
    r"|[0-9]+月[0-9]+[号日]?(?:去|在|考|要|出发|开|做|面)|要去|将|约的|约了|订了"
    r"|即将|快要|五一|十一|国庆|暑假|寒假|想去|想冲"
)
_PAST = r"了$|过$|昨|上周|上个月|去年|前年|刚|以前|之前|的$"


def category_of(predicate: str, attribute: str, act: Act) -> str:
    """One of the store's categories; `fact` leaves it to the attribute."""
    if attribute in ATTRIBUTES:
        return "fact"
    if act == "end":
        return "status"
    if pattern(_FUTURE).search(predicate) and not pattern(_PAST).search(predicate):
        return "plan"
    return "status" if act == "change" else "fact"


def mentions_of(who: Who, found: Found, name: str) -> tuple[Mention, ...]:
    """Whom and what a statement names."""
    mentions = []
    if who.key != USER and (who.name or who.relation):
        called = who.name or name
        if called:
            kind: EntityType = "pet" if who.gender == "it" else "person"
            mentions.append(Mention(called, kind, (who.relation,) if who.relation else ()))
        else:
            mentions.append(who.mention)
    if found.attribute in _NAMES and found.value:
        mentions.append(Mention(found.value, _NAMES[found.attribute]))
    return tuple(mentions)
