"""Phase 1 for Chinese: a message cut into pieces that can be judged one by one.

What was not written to be read as talk (code, tables, logs, JSON, pasted or quoted text) is set
apart first and stays whole. The rest is cut into sentences, sentences into clauses, a long clause
without punctuation at the words that open a new thought; and what means nothing alone goes back to
its neighbour. Every character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from loxodon.text import sentences
from loxodon.write.statements import Piece
from loxodon.write.zh.clean import HAN, count_han, plain, simplified
from loxodon.write.zh.speech import is_question, type_of
from loxodon.write.zh.syntax import topic_in
from loxodon.write.zh.words import THOUGHT_OPENINGS, alternatives, pattern

MOST_CHARACTERS = 100
_LONG = 22
"""A clause longer than this was spoken in one breath: it is cut where a new thought opens."""

_PASTE = (
    r"(?:翻译|润色|改写|修改|改一下|改下|改改|总结|概括|缩写|扩写|续写|校对|纠错"
    r"|解释|分析|仿写|看看|看下|看一下|回复|回一下"
    r"|提取|整理|检查|评价|点评|转成|翻成|译成|精简|优化|如下|原文|内容是|正文|邮件"
    r"|这段|这句|这份|这篇|以下|下面|开头是这样|转发|新闻|文章|报道|讲了啥|讲了什么"
    r"|一句话|什么意思)"
    r"[^，。！？；\n：:]{0,16}[：:]"
    r"|(?:模板|简历|评论|段子|笑话|谜语|朋友圈|弹幕|原话)[^，。！？；\n：:]{0,4}[：:]|(?:尊敬|亲爱|敬爱)的[^，。\n]{1,10}[：:]"
    r"|(?:有人|群里|群友|网友|朋友|同事|客户|对方|室友|他|她)[^，。\n]{0,6}(?:说|发|写|回)[：:]"
    r"|(?:写|发|回|拟|编)[^，。！？\n]{1,14}[：:]|(?:有人发|群里发|看到一句话"
    r"|看到一段话|他发我?|她发我?|对方说|对方发来|网友说)[^，。\n]{0,4}[：:]"
    r"|【[^】\n]{2,8}(?:讯|电|报道)】|【(?:转发|转|通知|公告|群公告|转载)】|^(?:转发|转)[：:]|^>"
)
_TABLE = r"\|.*\|"
_LOG = (
    r"\d{2}:\d{2}:\d{2}|Traceback|^\s*at [\w.$]+\(|\b(?:ERROR|WARN|INFO|DEBUG"
    r"|FATAL)\b|Exception\b|^\s*File \""
    r"|panic:|npm ERR|error:|Error:|exit code|stack trace|undefined is not|segfault"
)
_CODE = (
    r"[;{}]\s*$|^\s*(?:def|class|import|from|return|const|let|var|public|private"
    r"|function|#include|SELECT|INSERT|UPDATE"
    r"|if|for|while|echo|sudo|git|docker|npm|pip|curl)\b[^\u4e00-\u9fff]*$|=>"
    r"|\w+\([^)\u4e00-\u9fff]*\)\s*[;{]?$"
)


def split(text: str) -> list[Piece]:
    """Cut a message into pieces, each with its type. Every word is in one piece."""
    found: list[Piece] = []
    for start, end, foreign in _parts(text):
        if foreign:
            found.append(Piece(text[start:end].strip(), "chat"))
            continue
        for first, last in _sentences(text[start:end]):
            sentence = text[start:end][first:last]
            if _is_foreign(sentence):
                found.append(Piece(sentence, "chat"))
                continue
            found += [Piece(clause, type_of(clause)) for clause in _clauses(sentence)]
    return [piece for piece in _joined(found) if piece.text]


def is_foreign(text: str) -> bool:
    """Whether a piece is no talk of the user's: code, a table, a log, pasted or quoted text."""
    return _is_foreign(text) or bool(_long_quote(text) and _long_quote(text) == text.strip())


def _is_foreign(text: str) -> bool:
    head = text[:2_000]
    if head.startswith(("```", "~~~")) or pattern(_TABLE).match(head):
        return True
    if head[:1] in "{[<" and count_han(head) * 3 < len(head):
        return True
    mostly_latin = count_han(head) * 4 < len(head)
    return (
        len(head) > 8
        and mostly_latin
        and bool(pattern(_LOG).search(head) or pattern(_CODE).search(head))
    )


# --- what is not the user's own talk --------------------------------------------------------------


def _parts(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, foreign) of what the user says and of what was pasted or quoted at length."""
    position = 0
    pasted = _pasted_from(text)
    stop = pasted if pasted is not None else len(text)
    for quote in _quotes().finditer(text, 0, stop):
        if _is_quotation(quote[0]) and not _forbidden().search(text, 0, quote.start()):
            yield position, quote.start(), False
            yield quote.start(), quote.end(), True
            position = quote.end()
    yield position, stop, False
    if pasted is not None and pasted < len(text):
        closing = _paste_end(text, pasted)
        yield pasted, closing, True
        yield closing, len(text), False


def _pasted_from(text: str) -> int | None:
    """Where pasted text begins: after 翻译：, 润色：, 【转发】, with something behind it."""
    found = pattern(_PASTE).search(simplified(text[:3_000]))
    if not found:
        return None
    rest = text[found.end() :].strip()
    if found[0].startswith(("【", ">", "转")):
        return found.start()
    return found.end() if len(rest) > 5 else None


def _paste_end(text: str, start: int) -> int:
    """Pasted text in quotes ends with them, other text with the message."""
    lead = text[start : start + 4].lstrip()
    pairs = {"“": "”", "「": "」", "『": "』", '"': '"'}
    if lead[:1] in pairs:
        closing = text.find(pairs[lead[0]], start + 4)
        return closing + 1 if closing > 0 else len(text)
    return len(text)


@cache
def _quotes() -> re.Pattern[str]:
    return re.compile('“[^”\n]{1,400}”|「[^」\n]{1,400}」|『[^』\n]{1,400}』|"[^"\n]{1,400}"')


@cache
def _forbidden() -> re.Pattern[str]:
    """What stands before words that the assistant is not to use."""
    return re.compile(
        r"(?:不许|不准|禁止|别|不要|甭|少)(?:再|老)?(?:写|说|用|加|带|出现|来)[个句]?\Z"
    )


def _is_quotation(quote: str) -> bool:
    """A name in quotes is talk; a sentence in quotes is someone's words."""
    inner = simplified(quote[1:-1])
    return count_han(inner) > 14 or (
        count_han(inner) > 5 and bool(pattern("[我你他她，。！？,!?]").search(inner))
    )


def _long_quote(text: str) -> str:
    found = _quotes().match(text.strip())
    return found[0] if found and _is_quotation(found[0]) else ""


# --- clauses --------------------------------------------------------------------------------------


def _sentences(text: str) -> list[tuple[int, int]]:
    return sentences.spans(text)


@cache
def _pause() -> re.Pattern[str]:
    return re.compile(
        rf"[，；;]+|(?<![0-9]),|,(?![0-9])|…+|\.{{3,}}|—{{2,}}|。+(?=.)|\n+"
        rf"|(?<=[{HAN}]) +(?=[{HAN}])|(?<=[{HAN}])[~～]+(?=[{HAN}])|[!！?？]+(?=[{HAN}])"
        rf"|(?<=[0-9]) +(?=(?:又|还|也|再|就|我|现在|然后|但|不|有|没)[{HAN}])"
    )


@cache
def _opens() -> re.Pattern[str]:
    words = alternatives(THOUGHT_OPENINGS)
    return re.compile(
        rf"(?<=[{HAN}a-zA-Z0-9])(?<![的从到在跟和比像是说但而就我]) ?(?={words})"
        rf"|(?<=[啊嘛呢])(?=[{HAN}]{{3}})|(?<=[{HAN}])(?=你(?:给|帮|能|说|看|觉得|知道))"
        r"|(?<=了)(?=[他她](?:老伴|老公|老婆|弟|妹|哥|姐|妈|爸|儿子|女儿|媳妇)"
        r"|我(?:常|又|也|就|都|得|现在|还|天天|每|来|管|在|是|住|腿|腰))"
        rf"|(?<=[{HAN}])(?=另外|对了我|还有我|但是我|不过我)"
        rf"|(?<=[{HAN}])(?=今年[0-9一二三四五六七八九十]|医生(?:让|说|建议)|主要(?:做|是|卖|负责|教|写)|有{_NUMBER}(?:多|来)?个"
        rf"|想考|打算|周[一二三四五六日](?:我|上午|下午|晚上)|我(?:和|跟|女儿|儿子|妹|弟|哥|姐|还|也|每))"
        rf"|(?<=[0-9一二三四五六七八九十岁])(?=在[{HAN}])|(?<=[三四岁多高完好上过]了)(?=(?![个一两几些点])[{HAN}]{{6}})"
    )


@cache
def _presupposes() -> re.Pattern[str]:
    """A fact with a question right behind it: 我家猫15岁了该吃什么."""
    return re.compile(
        r"(?<=[了的岁])(?=(?:该|应该|要不要|能不能|能|可以|可不可以|怎么|咋|如何|有什么"
        r"|有啥|吃什么|吃啥|适合|是不是|会不会|还能|需要|用什么|买什么|选什么|哪))"
    )


def _clauses(sentence: str) -> list[str]:
    """The clauses of a sentence; punctuation stays with the clause it closes."""
    cut: list[str] = []
    start = 0
    folded = simplified(sentence)
    for pause in _pause().finditer(folded):
        if _inside_brackets(folded, start, pause.start()):
            continue
        cut.append(sentence[start : pause.end()])
        start = pause.end()
    cut.append(sentence[start:])
    pieces: list[str] = []
    for clause in cut:
        pieces += _shorter(clause)
    settled = _settled([piece.strip() for piece in pieces if piece.strip()])
    return [clause.rstrip("，,；; ") or clause for clause in settled]


def _inside_brackets(text: str, start: int, at: int) -> bool:
    start = max(start, at - MOST_CHARACTERS)
    return any(
        text.count(opening, start, at) > text.count(closing, start, at)
        for opening, closing in ("（）", "()", "《》", "“”", "「」")
    )


def _shorter(clause: str) -> Iterator[str]:
    """A clause cut where a new thought opens, if it is long, and before a question in it."""
    folded = simplified(clause)
    if is_question(plain(clause)) and len(clause) < 200:
        found = _presupposes().search(folded, 4)
        if found and pattern("我|咱|俺").search(folded[: found.start()]):
            yield clause[: found.start()]
            clause, folded = clause[found.start() :], folded[found.start() :]
    start = 0
    if count_han(clause) > _LONG:
        for found in _opens().finditer(folded):
            if found.start() - start >= 5 and len(clause) - found.start() >= 5:
                yield clause[start : found.start()]
                start = found.start()
    yield from _bounded(clause[start:])


def _bounded(clause: str) -> Iterator[str]:
    """No more than `MOST_CHARACTERS`, cut at a weaker mark or a space if there is one."""
    while len(clause) > MOST_CHARACTERS:
        window = clause[:MOST_CHARACTERS]
        at = max(window.rfind(mark) for mark in "、，, ：: ")
        at = at + 1 if at > MOST_CHARACTERS // 3 else MOST_CHARACTERS
        yield clause[:at]
        clause = clause[at:]
    yield clause


# --- what means nothing alone ---------------------------------------------------------------------

_TIME = (
    r"(?:今|明|后|昨|前|去)[天年晚早]|现在|目前|最近|以前|之前|从前|后来|将来|以后"
    r"|平时|周末|这学期|上学期|下学期|这几[天年]|这段时间"
)
_NUMBER = "[0-9一二两三四五六七八九十百千万半几.]+"


@cache
def _leans_forward() -> re.Pattern[str]:
    openings = alternatives(
        "另外 还有 对了 但是 不过 然后 而且 并且 所以 因为 可是 其实 顺"
        "便 首先 其次 最后 那个 就是 反正 总之 说实话 老实说 我自己 我"
        "呢 我嘛 至于我 话说 比如 比如说 例如 btw 那 那么 但 可 然后"
        "呢 哦 啊 嗯 诶 欸 哎"
    )
    return re.compile(
        rf"(?:(?:{openings})[呢吧嘛啊哈]?|{_TIME}|(?:如果|要是|假如|万一|只要|既然|为了|考虑到|自从"
        rf"|除了|等).*|我(?:那个|这个)?[{HAN}]{{1,4}}[啊呢嘛吧]|.*(?:的话|的时候|之后"
        rf"|以后|的时候呢))[，,… ]*$"
    )


@cache
def _leans_back() -> re.Pattern[str]:
    units = (
        "块|元|万|千|百|块钱|刀|欧|美元|斤|公斤|米|平|平米|个月|个人|分钟|小时|个小时"
        "|度|页|集|回|次|遍|种|%|折|k|K|mg|毫克|微克|ml|毫升|w|W"
    )
    return re.compile(
        rf"(?:才|就|都|大概|差不多|将近|快|共|一共|总共|每月|每年|每天|每次"
        rf"|一[天个]?)?{_NUMBER}(?:多|来|几)?(?:{units})(?:一?个?[月年天次斤平])?(?:出头"
        rf"|左右|多|了)?[。！!，,… ]*$"
        rf"|{_NUMBER}(?:年|个月|天|周|星期)(?:多|半)?(?:了)?[。！!，,… ]*$|[0-9]{{3,}}(?:块|元)?了[。！!，,… ]*$"
        rf"|[做干吃学练用住待养打跑开教写玩抽喝读当种卖戴穿]了(?:快|将近|差不多|有|大概"
        rf"|都)?(?:小|大)?{_NUMBER}(?:多|来)?个?(?:年|月|天|周|星期|辈子)(?:多"
        rf"|半)?(?:了)?[。！!，,… ]*$"
        rf"|(?:每|一)(?:次|天|晚|周|个?月|年|节课?|小时|顿|趟|平)(?:只?要|大概|差不多|才|就|都)?{_NUMBER}(?:多|来)?个?[{HAN}a-zA-Z]{{0,2}}[。！!，,… ]*$"
        rf"|一[天日周月][{HAN}0-9一二两三四五六七八九十半.]{{1,6}}[吃喝服用"
        rf"打片粒颗次顿杯包根支]?[。！!，,… ]*$"
    )


def _settled(clauses: list[str]) -> list[str]:
    """Clauses with the bits that mean nothing alone put back where they belong."""
    found: list[str] = []
    for clause in clauses:
        folded = simplified(clause)
        fits = bool(found) and len(found[-1]) + len(clause) <= MOST_CHARACTERS
        if fits and (
            _leans_forward().match(simplified(found[-1]))
            or _leans_back().match(folded)
            or (folded[0] in "他她它" and _is_a_topic(simplified(found[-1])))
            or (found[-1][-1] in "，, " and topic_in(simplified(found[-1])))
        ):
            found[-1] += _gap(found[-1], clause) + clause
        elif fits and not pattern(rf"[{HAN}\w]").search(clause):
            found[-1] += clause
        else:
            found.append(clause)
    return found


def _is_a_topic(clause: str) -> bool:
    """我将要参加的年会，它…: something named, and nothing said of it yet."""
    return bool(
        pattern(r"^我们?[^，是有]{0,14}的[^，是有在了过着]{1,16}[，,]$").match(clause)
    ) and not pattern(r"[们呢吧]?[，,]$|喜欢|讨厌").search(clause[:-1])


def _gap(before: str, after: str) -> str:
    return "" if pattern(r"[，,；;…。!！?？~～—]$").search(before) or not before else " "


def _joined(pieces: list[Piece]) -> Iterator[Piece]:
    """Pieces of nothing but marks or emoji go to the piece before them."""
    held: Piece | None = None
    for piece in pieces:
        if held and held.type != "chat" and not pattern(r"\w").search(piece.text):
            held = Piece(f"{held.text} {piece.text}", held.type)
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held
