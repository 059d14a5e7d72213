"""
Word order and finish: a clause straightened before it is read, a sentence polished after. Spoken
Chinese puts the topic first (花生我过敏), asks where it states (我不是在工厂嘛), and leaves 是
out (我射手座). A memory says it plainly.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.write.zh import signs
from loxodon.write.zh.about_life import ILLNESSES
from loxodon.write.zh.about_self import CITIES, JOBS
from loxodon.write.zh.clean import HAN
from loxodon.write.zh.syntax import is_noun, topic_in
from loxodon.write.zh.words import EMPLOYERS, alternatives, pattern

_LIKES = (
    "喜欢|爱|讨厌|熟|会|懂|不敢吃|爱吃|爱喝|喜欢吃|不吃|不喝|不碰"
    "|不能吃|不敢喝|吃不了|喝不了|受不了"
    "|没有|有|不会|不懂|不喜欢|不爱|怕|不用|不想要|接受不了|买不起|看过|去过|用过"
    "|听过|养过|学过|试过"
)
_BEFORE_OBJECT = (
    "给|让|跟|对|把|被|带|和|是|说|问|教|拉着|陪|找|叫|帮|在|等|由|换|比|像|连|为"
    "|替|送|拒了?|约|请|催|逼|夸|骂|用|留|了|归|看|怪|劝|怀疑|害|爱|撩|追|坑|借|欠"
    "|接|喊|告诉|通知|派|调|升|放"
)


@cache
def _not_after() -> str:
    """Where 我 is no subject: after a verb or a preposition."""
    return "".join(f"(?<!{word})" for word in _BEFORE_OBJECT.replace("?", "").split("|"))


def straightened(text: str) -> str:
    """A clause (plain) with its subject first and no rhetorical denial."""
    text = pattern(r"^(?:老头子|老太婆|老婆子|老汉|老太太|小女子|小弟|老夫)(?=我)").sub("", text)
    text = pattern(r"^我们?家?(?:那口子|那位|屋里那位|那个死鬼)").sub("我爱人", text)
    text = pattern(
        r"^我[这那](?:台|把|辆|只|条|件|本|部|套|款|双|间|份|块|盆|棵|位)(?=[\u4e00-\u9fffA-Za-z]{2})"
    ).sub("我的", text)
    text = pattern(
        r"^我[这那](?![个些样么里边儿会种次天几两时阵段年周月只条辆家学])(?=[\u4e00-\u9fff]{2})"
    ).sub("我", text)
    text = pattern(r"^(我[^，]{1,4})[啊呢嘛吧][，,]").sub(r"\1", text)
    text = pattern(
        r"^[这那]个(?=(?:项目|公司|团队|店|产品|系统|平台|网站|app|课题|房子|小程序|工程|仓库)(?!不错|怎么))"
    ).sub("我的", text)
    text = pattern(r"^我系(?=.{2,}(?:人|生|员|师)$)").sub("我是", text)
    text = _without_mark(text)
    text = pattern(r"^(?:我)?[跟和][他她](?:已经|正式|还是|就)?(?P<v>离|分)(?:婚|手|开)?了").sub(
        lambda found: "我离婚了" if found["v"] == "离" else "我分手了", text
    )
    text = pattern(
        r"^(?:我们?)?房东(?:又|要|给|说)*(?P<v>[涨降加减])(?:价|租|房租|钱)?了?[，,]?(?:到|成|变成)?(?P<n>[0-9一二两三四五六七八九十千百]+)(?:块|元)?(?:一个?月|每月)?了?$"
    ).sub(r"我的房租\g<v>到\g<n>了", text)
    # 小米12这款手机, 大润发这家超市: the thing by its name and by its kind.
    text = pattern(
        r"(?<=[A-Za-z0-9》”])这(?:款|家|个|种|台|部|双|支|本|首)?(?=[\u4e00-\u9fff])|(?<=^[^，我这那在是有]{2})这(?:款|家|种|台|部|双|支|本|首|座)(?=[\u4e00-\u9fff])"
        r"|(?<=^[^，我这那在是有]{3})这(?:款|家|种|台|部|双|支|本|首|座)(?=[\u4e00-\u9fff])|(?<=^[^，我这那在是有]{4})这(?:款|家|种|台|部|双|支|本|首|座|个地方|地方)(?=[\u4e00-\u9fff])"
    ).sub("", text)
    # 我的同事，他是送快递的: the topic is named, then meant.
    text = pattern(
        r"^(我们?[^，是有]{0,14}的[^，是有在了过着]{1,16})[，,][他她它](?=的?[\u4e00-\u9fff])"
    ).sub(r"\1", text)
    return pattern(
        r"(我|他|她)?不是((?:在|有|要|说|去|做|换|刚|已经|是|搬|买|养|考"
        r"|学)[^，不]{2,30})[嘛么](?=[，,。 ]|$)"
    ).sub(lambda found: (found[1] or "我") + found[2], text)


def _without_mark(text: str) -> str:
    """瑜伽课那个，我退了, 法语这事儿我放弃了: the topic as it is, before what is said of it."""
    head, comma, rest = text.partition("，")
    if comma and rest and (topic := topic_in(head)):
        return topic + rest
    marked = pattern(
        r"^(?P<t>[^，我你他她它这那]{2,10}?)(?:这件?事[儿情]?|那件?事[儿情]?|的事[儿情]?|那趟|那次)(?=我|不|取消|黄|没|算|先|已|停|泡|吹|推)"
    ).match(text)
    if marked and (topic := topic_in(marked[0])):
        return topic + text[marked.end() :]
    return text


def fronted(text: str) -> str:
    """A tidied clause with 我 first: 花生我过敏, 上班我都骑车."""
    text = pattern(r"^就(?=我)").sub("", text)
    if judged := pattern(
        r"^(?P<x>[^，我是有]{2,20}?)我(?:个人)?(?:觉得|认为|感觉|(?=用下来|用着|吃着|看下来))(?P<r>[^，我]{2,16})$"
    ).match(text):
        return f"我觉得{judged['x']}{judged['r']}"
    text = pattern(r"^[^，]{1,5}的话[，,]?(?=不|就|要|得|我|还是|必须)").sub("", text)
    for order in (
        _not_to_taste,
        _object_given_up,
        _allergen_first,
        _object_first,
        _setting_first,
        _object_of_habit,
    ):
        if straight := order(text):
            return straight
    return text


def _not_to_taste(text: str) -> str:
    """榴莲我是真扛不住, 说唱就算了."""
    found = pattern(signs.TASTE).match(text)
    if not found:
        return ""
    thing = found["n"] or text.partition("我")[0]
    return f"我不喜欢{thing}" if is_noun(thing) else ""


def _object_given_up(text: str) -> str:
    """那个项目我退出了."""
    found = pattern(
        rf"^(?:[那这][一]?[张台辆只条部本家份套间趟款双件把块场次门节位个])?(?P<n>[{HAN}A-Za-z0-9]{{2,10}}?)(?:那个|那边)?"
        r"我(?P<a>(?:已经|也|都|就|早就|后来|上周|上个月|昨天|前天|刚|暂时|直接)*)"
        r"(?:(?P<v>退出|退|取消|卖|停|辞|戒|放弃|弃|退订|注销|卸载|删|扔|丢|推|拒|拆|摘)掉?了(?P<r>，.*)?"
        r"|(?P<g>(?:转|送|让|卖|捐|借|过户|留)给[^，]{1,8}了.*))$"
    ).match(text)
    if not found:
        return ""
    if found["g"]:
        return f"我{found['a']}把{found['n']}{found['g']}"
    return f"我{found['a']}{found['v']}了{found['n']}{found['r'] or ''}"


def _allergen_first(text: str) -> str:
    """花生我过敏."""
    found = pattern(
        rf"^(?P<n>[{HAN}A-Za-z0-9+#]{{1,10}})我(?:也|都|还是|还|很|特别|最"
        rf"|根本|从来|真的|是)*过敏(?:的)?$"
    ).match(text)
    return f"我对{found['n']}过敏" if found else ""


def _object_first(text: str) -> str:
    """豆腐我爱吃, R我熟."""
    found = pattern(
        rf"^(?P<n>[{HAN}A-Za-z0-9+#.]{{1,10}})我(?:是|真的|根本|从来|一点都?|都|也)*(?P<v>(?:也|都|还是|还|很|特别|最|根本"
        rf"|从来|比较|真的)*(?:{_LIKES}))(?:的|了)?$"
    ).match(text)
    if not found:
        return ""
    verb = {"熟": "熟悉"}.get(found["v"], found["v"])
    return f"我{verb}{found['n']}"


def _setting_first(text: str) -> str:
    """上班我都骑车, 每周日我去做义工."""
    found = pattern(
        rf"^(?P<t>[^我，]{{1,10}}?){_not_after()}我(?P<r>(?!家|妈|爸|们|的"
        rf"|弟|妹|哥|姐|自己)[^我]{{2,}})$"
    ).match(text)
    verbs = r"是|有|给|让|把|拒|说|找|来|送|约|夸|骂|要求|通知|带|陪|等|老|觉得"
    if not found or pattern(verbs).search(found["t"]):
        return ""
    return f"我{found['t']}{found['r']}"


def _object_of_habit(text: str) -> str:
    """阿司匹林吃了半年了."""
    found = pattern(
        rf"^(?P<t>[{HAN}A-Za-z]{{2,8}}?)(?P<v>吃|喝|学|练|用|打|戴|教|养|玩|写|读|追|抽)了"
        r"(?P<d>(?:快|将近|差不多|有|大概)?[0-9一二两三四五六七八九十半几]+(?:多)?个?"
        r"(?:年|月|天|周|星期)(?:多|半)?)了?(?P<tail>，.*)?$"
    ).match(text)
    adverbs = r"^(?:我|他|她|已经|都|也|才|在|一直|就|还|又)|[我他她]"
    if not found or pattern(adverbs).search(found["t"]):
        return ""
    return f"{found['v']}{found['t']}{found['d']}了{found['tail'] or ''}"


def polished(content: str) -> str:
    """A sentence in the third person, finished: 是 where it was left out, no dangling 的."""
    text = content.strip(" ，,。；;")
    text = pattern(
        r"(?<=[A-Za-z0-9])(?=去年|今年|明年|前年|上周|下周|上个月|下个月|昨天|明天)"
    ).sub(" ", text)
    text = pattern(r"(在[^，]{2,8})待过([一二两三四五六七八九十几半0-9]+)(年|个月)").sub(
        r"\1待了\2\3", text
    )
    text = pattern(r"(?<=[住呆学做干练])过([一二两三四五六七八九十几半0-9]+)(年|个月|天)").sub(
        r"了\1\2", text
    )
    text = pattern(
        r"一天([一二两三半0-9]+[片粒颗次勺杯])(早上|晚上|中午|早晚|睡前)(?:吃|服|喝)"
    ).sub(r"每天\2吃\1", text)
    text = pattern(r"(?<=了)(?=一[天日][一二两三半0-9])").sub("，", text)
    text = pattern(r"(过敏|不抽烟|不喝酒|不吃[^，]{1,5})的$").sub(r"\1", text)
    text = pattern(
        r"(今年)([0-9]{1,3}|[一二三四五六七八九]?十[一二三四五六七八九]?)(?:了)?(?=，|$)"
    ).sub(r"\1\2岁", text)
    text = pattern(
        r"(?<![每这下上个本])周末(?=(?:在[^，]{1,12})?(?:打工|兼职|上课|上班|做(?!手术)|教|带|练|摆摊|当|跑|加班|值班|轮|休息|送|开滴滴))"
    ).sub("每周末", text)
    text = pattern(
        r"(?<![每这下上个本逢])(周末|周[一二三四五六日])(?=都|还|也|兼|一般|通常|能|有(?!个)|会|固定|照常|休息|限行)"
    ).sub(r"每\1", text)
    text = pattern(
        r"(?<![每这下上个本逢])((?:周|礼拜|星期)[一二三四五六日天](?:[、和跟]?(?:周|礼拜|星期)?[一二三四五六日天](?![点月号]))+)"
    ).sub(r"每\1", text)
    text = pattern(r"现在(?=(?:周|礼拜|星期)[一二三四五六日天])").sub("现在每", text)
    text = pattern(
        r"(?<![每这下上个本逢])((?:周|礼拜|星期)[一二三四五六日天](?:上午|下午|晚上|早上)?)(?=要?(?:轮|值|倒|上夜班|夜班|白班|晚班|早班|轮休|调休|单休))"
    ).sub(r"每\1", text)
    text = pattern(
        r"(?<![每今去前明后年整一个])([春夏秋冬][天季])(?=[^，]{0,8}(?:都|总|会|容易|经常|一般|老是))"
    ).sub(r"每年\1", text)
    text = pattern(r"((?:改|推迟|提前|挪|延)到[^，]{1,14})了$").sub(r"\1", text)
    text = pattern(r"^([^，]*(?:是|在|叫)[^，不]{2,10})，?(?:而)?不是[^，]{1,8}$").sub(r"\1", text)
    text = pattern(r"(管|负责|做)([^，]{1,8})那块$").sub(r"\1\2", text)
    text = pattern(r"连([^，]{1,6})都没有").sub(r"没有\1", text)
    text = pattern(r"^用户(?:真的?)?(?P<x>[^，]{1,10}?)(?:yyds|YYDS|永远的神|天下第一)").sub(
        r"用户非常喜欢\g<x>", text
    )
    text = pattern(r"^用户身份证上(?:的)?(阳历|农历|阴历|公历|生日)?(?:是)?([0-9])").sub(
        r"用户身份证上的生日是\1\2", text
    )
    text = text.replace("生日是生日", "生日是").replace("第一次见到用户的", "第一次见到")
    text = pattern(r"^(用户等[^，]{2,}，)用户(?=就|再|才|也)").sub(r"\1", text)
    text = pattern(r"^用户(?:身为|作为)(?=[^，]{2,}$)").sub("用户是", text)
    text = pattern(
        r"用户(?=老家|家乡|短板|强项|弱项|软肋|痛点|本命|偶像|初恋|母校|最爱(?![吃喝看听玩去打穿的])|日常|专业|主力)"
    ).sub("用户的", text)
    if "烟" not in text:
        text = pattern(r"(?<=[\u4e00-\u9fff])抽了(?=[一二三四五六七八九十几0-9]+(?:多)?年)").sub(
            "抽烟抽了", text
        )
    text = pattern(r"^(用户(?![的和家])[^，用的]{0,16}?)用户的(?!名|.{0,3}的)").sub(r"\1", text)
    if pattern(
        r"^用户(?:要|等|带|给|陪|让|帮|送|接|照顾|跟|和|想给|[^，]{0,12}(?:带|陪|接|送))"
    ).match(text):
        text = pattern(r"^(用户[^，用]{0,16}?)用户的").sub(r"\1", text)
        text = pattern(r"^(用户[^，用]{0,16}?)用户家(?:的)?").sub(r"\1家里的", text)
    named = (
        "全名|本名|真名|英文名|网名|昵称|生日|老家|家乡|籍贯|预算|房贷|房租|月薪|年薪"
        "|时薪|工资|目标|专业|星座|血型|身高|体重"
        "|母语|爱好|前端|后端|数据库|ORM|预产期|婚期|户口|deadline"
    )
    verbs = (
        "是|在|叫|有|也|都|还|已|没|不|很|就|要|被|改|换|定|每|从|用|为|涨|降|卖|坏|丢"
        "|上|里|号|卡|子|位|快|考|会|能|说|让|给|刚|比|买|终|又|其实|应该|大概|只"
    )
    found = pattern(
        rf"^(?P<s>用户的(?:{named}))(?P<n>(?!{verbs}|[：:，])[{HAN}A-Za-z0-9 ].*)$"
    ).match(text)
    if found and found["s"].endswith(("老家", "家乡")) and "了" in found["n"]:
        return text
    if (
        found
        and found["s"].endswith("生日")
        and not pattern(r"[0-9一二三四五六七八九十正冬腊农阴阳公]").match(found["n"])
    ):
        return text
    return f"{found['s']}是{found['n'].strip()}" if found else text


_DONE_WITH = tuple("用 换 买 学 写 装 刷 玩 喜欢 找 请 看 聘 招 带 想 爱 懂 会".split())


@cache
def _bare_nouns() -> re.Pattern[str]:
    cities = alternatives(CITIES)
    return re.compile(
        rf"(?P<be>(?:白羊|牡羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|魔羯|水瓶"
        rf"|双鱼)座(?:的)?|(?!是)[{HAN}]{{1,4}}族|(?:{cities})[{HAN}]{{0,4}}人"
        rf"|(?!一个|好|大|老|没|有|男|女|坏|别|新|本|路|病|客"
        rf"|[^人]*[一二三四五六七八九十两几口个是了招新有没多少请找])[{HAN}]{{2,4}}人"
        rf"|(?:19|20)?[0-9]{{2}}年的|[0-9]{{2}}后|(?:{cities})的"
        rf"|(?:做|干|搞|送|开(?!学|会|始)|卖|教|种|养|修"
        rf"|跑)(?:(?!得)[{HAN}A-Za-z]){{1,6}}的"
        rf"|(?![在做当是升干任提开教有没不想要会去来被给跟和对现以之"
        rf"从]|周|每|平时|晚上|暑假|寒假|兼职|[^，]{{1,3}}[做当干请])(?:(?!是)[{HAN}]){{0,4}}{JOBS}"
        rf"|(?:(?!是)[{HAN}]){{0,4}}(?:课代表|班长|学委|团支书))"
        rf"|(?P<have>(?!色弱|色盲|左撇子|血压高|血糖高|胃不好|失眠|晕|恐高|近视|视障|听障"
        rf"|脑梗|心梗|中风|失明){ILLNESSES})"
        rf"|(?P<at>(?i:{alternatives(EMPLOYERS)}))|(?P<to>(?!对|有|没|不|容易|皮肤|一|会"
        rf"|吃|用)[{HAN}]{{1,8}}?)(?:会|严重)?过敏(?:的)?"
    )


def completed(predicate: str, explicit: bool) -> str:
    """A predicate that is a bare noun with its verb: 射手座 is 是射手座, 花生过敏 is 对花生过敏."""
    if sex := pattern(r"^(女|男)(?:生|的|性|孩)?$").match(predicate):
        return f"是{sex[1]}性"
    found = None if predicate.endswith("口人") else _bare_nouns().fullmatch(predicate)
    if not found:
        latin = pattern(
            r"^(?P<n>[A-Za-z][\w. ]{1,20}?) ?(?P<v>读|念|上班|实习|工作)(?P<r>.*)$"
        ).match(predicate)
        return f"在{latin['n']}{latin['v']}{latin['r']}" if latin else predicate
    if (
        found["be"]
        and not explicit
        and pattern(JOBS).search(predicate)
        and not pattern(JOBS).fullmatch(predicate)
    ):
        return predicate  # 三月入职，智驾测试: what the job is, not who someone is
    if found["be"] and pattern(JOBS).search(predicate) and predicate.startswith(_DONE_WITH):
        return predicate  # 用安卓: no trade
    if found["be"]:
        return "是" + pattern("(?<=座)的$").sub("", predicate)
    if found["have"]:
        return f"有{predicate}"
    if found["to"] and "对" in found["to"]:
        return predicate
    return f"在{predicate}" if found["at"] else f"对{found['to']}过敏"


def announced(content: str, detail: str) -> str:
    """婚期定了 and 10月2号 as one: 婚期定在10月2号."""
    base = pattern(r"(?:终于|已经|也)?(?:定|定下来|敲定|确定)了$").sub("", content)
    if base != content:
        if pattern(r"^(?:[0-9一二三四五六七八九十]+[月点号]|周|下|明|后|上午|下午|晚上)").match(
            detail
        ):
            return f"{base}定在{detail}"
        if pattern(r"^是").match(detail):
            return f"{base}{detail}"
    return f"{content}，{detail}"
