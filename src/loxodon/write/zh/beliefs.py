"""How sure someone is: hedges, guesses and hearsay."""

from __future__ import annotations

from typing import NamedTuple

from loxodon.write.zh.words import pattern

_HEARSAY = (
    r"听说|据说|听[^，]{1,6}(?:说|讲)|传闻|有人说|都说|网传|小道消息|(?:中介|邻居"
    r"|同事|朋友|老师|领导|老板|医生|大夫|专家|别人|人家|他们"
    r"|[^，]{0,4}里)(?:口头)?(?:说|讲|传|提过?)的"
    r"|传的|道听途说|茶水间|八卦|谣传|口头提过|风声|放风|传出来?|透露|有消息说|听[^，]{1,4}提"
)
_TOLD = (
    r"(?:医生|大夫|中介|同事|朋友|邻居|领导|老板|老师|房东|师傅|物业|客服|销售|网上"
    r"|群里|家里人|亲戚|专家|律师|hr|HR)[^，]{0,3}(?:说|讲|透露|透口风|告诉我)"
)
_STRONG = r"说不定|没准|八成|会不会是|该不会是?|别是|莫不是|不会是|搞不好|弄不好|指不定|猜|瞎猜|八九不离十|备不住|保不齐|也许|或许|未必|不一定"
_HEDGE = (
    r"好像|似乎|貌似|可能|大概率|大概(?!是?[0-9一二两三四五六七八九十几半百千]+(?:多"
    r"|来)?(?:个|块|万|斤|人|米|分钟|小时|平|次|天|岁|公里|页|元))|应该(?:是|会|要"
    r"|能|就|在|快|还|有|没)|估计|估摸|感觉(?:我|自己|像|是|要|会|有|快|他|她|小|老|公司"
    r"|孩子)|看样子|看起来|怕是|恐怕|多半|疑似|怀疑|疑心|疑惑是|总觉得|老觉得|老感觉|总感觉|得有(?=[0-9一二两三四五六七八九十百千])|不出意外|约莫|差不多要|十有八九"
    r"|按理说|印象中|我记得"
)
_OPINION = r"我(?:觉得|认为|感觉|想|个人觉得)"
_NOT_HEDGED = (
    r"不可能|可能性|有可能会?不|尽可能|应该(?:去|多|少|好好)|不应该|(?:都"
    r"|还)应该(?:说|讲)|好像.{0,6}(?:一样|似的)"
)


class Hedge(NamedTuple):
    confidence: float = 1.0
    words: str = ""


SURE = Hedge()


def hedge_of(text: str, around: str = "") -> Hedge:
    """How sure `text` is said to be; `around` is its sentence, which may say so for it."""
    text = pattern(_NOT_HEDGED).sub("", text)
    if found := pattern(_HEARSAY).search(text):
        return Hedge(0.45, found[0])
    if found := pattern(_STRONG).search(text):
        return Hedge(0.4, found[0])
    if found := pattern(_HEDGE).search(text):
        told = pattern(_TOLD).search(text)
        return Hedge(0.45 if told else 0.48, found[0])
    if found := pattern(
        r"(?:中介|邻居|同事|朋友|领导|有人|网上|茶水间|群里)[^，。]{0,3}(?:说"
        r"|传)的(?=[，。]|$)|^小道消息|谁知道真假|真假不知|不知真假|还没官宣|不确定真假"
    ).search(around):
        return Hedge(0.45, found[0])
    return SURE


def unhedged(text: str) -> str:
    """`text` without the words that only say how it is known: 听说, 我估计. A hedge that belongs to
    the sentence (可能, 好像) stays."""
    text = pattern(
        r"^(?:我)?(?:听说|听[^，]{1,6}(?:说|讲)|据说|有人说|网传|有?风声(?:传出来?|说)|估计|估摸着?|猜|猜测"
        r"|怀疑|疑心|记得|寻思|会不会是|该不会是?|莫不是|别是|[总老](?:觉得|感觉))(?:，|,|是|着)?(?=.{2})"
    ).sub("", text)
    # 我觉得远程办公好 is an opinion, and stays one; 我觉得我感冒了 is about oneself.
    return pattern(
        r"^(?:我)?(?:感觉|觉得)(?:，|,)?(?=(?:我|自己|咱|好像|可能|最近|这|公司|孩子|身体).)"
    ).sub("", text)
