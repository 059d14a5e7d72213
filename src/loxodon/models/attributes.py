"""What a model may call an attribute, and what must stand in the sentence for it.

An attribute with one value at a time replaces what was known. A model that calls any word a `name`
would overwrite who somebody is, so such an attribute is taken only where the sentence has a word
for it, and says that it is so rather than that it was, might or should be. Those with many values
only gather.
"""

from __future__ import annotations

import re

from loxodon.language.attributes import ATTRIBUTES
from loxodon.text.words import fold

_SIGNS = {
    "name": r"^the user(?:'s (?:\w+ )?name is| is (?:called|named)| goes by)\b"
    "|^用户(?:的(?:名字|姓名)|名?叫|姓|名为)",
    "nickname": "nickname|called|goes by|昵称|外号|小名",
    "age": r"^the user (?:is|turned|turns) [\w-]+(?: years? old)?$"
    r"|^用户(?:今年|现年|已经)?\S{1,4}岁",
    "birthday": "birthday|born|生日|出生",
    "hometown": "from|hometown|grew up|老家|家乡|来自",
    "occupation": "work|job|occupation|profession|career|职业|工作|从事|当",
    "marital_status": "married|single|divorc|engaged|结婚|已婚|未婚|离婚|单身|订婚",
    "native_language": "native|mother tongue|母语",
    "home": r"\bliv|\bhome|\bmov|resid|\bbased|住|搬|定居",
    "employer": r"\bwork|\bjob|employ|\bjoin|hired|工作|上班|入职|任职|就职",
    "school": "stud|school|universit|college|读书|上学|就读|大学|学校",
    "major": "major|stud|专业",
    "car": r"\bcar\b|drive|车",
    "phone": "phone|手机",
    "computer": r"laptop|computer|\bmac|电脑|笔记本",
    "commute": "commut|通勤",
    "partner": "wife|husband|partner|girlfriend|boyfriend|spouse|fianc"
    "|妻子|老婆|丈夫|老公|男朋友|女朋友|男友|女友|对象|伴侣|爱人",
    "manager": r"manager|\bboss|经理|老板|上司|领导",
    "reply_language": "reply|repli|answer|respon|回复|回答",
    "reply_style": "reply|repli|answer|respon|回复|回答",
    "form_of_address": "call|address|叫|称呼",
    "favourite": "favou?rite|最喜欢|最爱",
    "deploy_target": "deploy|部署|上线",
    "database": "database|postgres|sql|数据库",
    "version": "version|版本",
    "budget": "budget|预算",
    "goal": r"\bgoal|\baim|目标",
    "deadline": r"deadline|\bdue\b|截止|期限",
}
_GATHERED = (
    "allergy condition medication diet likes dislikes prefers avoids child parent sibling "
    "relative friend colleague pet language skill decision uses rule event owns hobby habit plan "
    "project todo"
)

_NOT_YET = re.compile(
    r"\b(?:wants?|plans?|planning|hop(?:es|ing)|would|might|may|dreams?|wish(?:es)?|intends?|will|"
    r"going to|used to|consider\w*|thinks?|thinking|almost|if)\b"
    "|想|打算|希望|计划|考虑|准备|曾|以前|以后|可能|要是|如果|差点"
)
_AHEAD = ("budget", "goal", "deadline", "reply_language", "reply_style", "form_of_address")
"""These are about what is to come, or wished for, by nature."""

OFFERED = (*_SIGNS, *_GATHERED.split())
"""Those that a model is told of. The rules know the others; each name costs tokens."""


def attribute_for(claimed: str, content: str) -> str:
    """The attribute a model claims, if there is one and the sentence bears it; else none."""
    known = ATTRIBUTES.get(claimed)
    if known is None:
        return ""
    if not known.one:
        return claimed
    text = fold(content)
    if _NOT_YET.search(text) and claimed not in _AHEAD:
        return ""
    sign = _SIGNS.get(claimed)
    return claimed if sign and re.search(sign, text) else ""
