"""Whether what a model says was said: its words, names and numbers against those of the source.

A model may word things, not know them. A sentence passes if it speaks of what its source speaks of,
in the same language and with the same sign, and brings no name, no number and next to no other word
of its own. The checks are strict: a good sentence lost costs little, because the journal has the
words it came from; an invented one is a lie in somebody's memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from loxodon.text.stopwords import CHINESE_CHARACTERS, ENGLISH
from loxodon.text.words import fold, index_words

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[^\W\d_\u2e80-\uffff]+(?:[-'][^\W\d_\u2e80-\uffff]+)*")
_DIGITS = re.compile(r"\d+")
_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "thousand"
)
_ENGLISH_NUMBERS = dict(
    zip(_NUMBER_WORDS.split(), [*range(2, 21), *range(30, 91, 10), 100, 1000], strict=True)
)
_NUMERALS = dict(
    zip("二两三四五六七八九十百千万", [2, *range(2, 11), 100, 1000, 10_000], strict=True)
)
# A given name is often told by these, and only by these, from ordinary words.
_CALLED = re.compile("[小老阿][\u4e00-\u9fff]")

# Words that turn what was said into a sentence about someone. They claim nothing by themselves.
_GLUE_EN = (
    "user users name named call called live lives living work works working job like likes enjoy "
    "enjoys love loves prefer prefers want wants plan plans planning intend intends use uses using "
    "study studies studying own owns year years old age aged currently now person say says said "
    "mention mentioned state stated feel feels think thinks believe believes get gets going go "
    "goes make makes take takes keep keeps know knows need needs longer one time may maybe perhaps "
    "possibly probably avoid avoids stop stopped quit anymore"
)
_GLUE_ZH = (
    "用户|喜欢|喜爱|喜好|居住|住在|工作|上班|任职|就职|从事|职业|名字|姓名|名叫|叫做|称呼|年龄|打算|计划|"
    "准备|想要|希望|使用|养|正在|目前|现在|现居|学习|就读|读书|拥有|养有|饲养|认为|表示|提到|觉得|知道|需要|"
    "进行|经常|平时|不再|以及|并且|因为|所以|由于|决定|偏好|习惯|感?兴趣|食用"
)
_NOT_EN = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|nothing|nobody)\b|n't\b|"
    r"\b(?:do|does|did|is|are|was|were|ca|wo|would|could|should|have|has|had)nt\b"
)
_NOT_ZH = re.compile("[不没无未勿非]|别(?=再|给|用|叫|让|去|放|加)")
_NO_NEGATION = re.compile(
    "不错|不过|不仅|不但|不管|不断|没错|差不多|对不起|不好意思|无论|无锡|未来|非常|非洲|不同|不久|不得不|"
    "忍不住|不由|不禁|不停|不小心|不知不觉|了不起|雷打不动"
)
_OVER = re.compile(
    r"\b(?:stop\w*|quit\w*|gave up|given up|giving up|no longer|end(?:ed|s)?|cancel\w*|left|sold|"
    r"avoids?|dislikes?|hates?|free of|former\w*|used to|resigned|dropped|retired|ex)\b"
    "|停|戒|讨厌|避免|取消|放弃|卖|辞|离职|分手|离婚|不再|退|曾|结束|忌|拒绝|前任"
)
_HEDGED = re.compile(
    r"\b(?:maybe|might|perhaps|probably|possibly|i think|i guess|i suppose|not sure|seems?|"
    r"apparently|i heard|supposedly|thinking (?:of|about)|considering|could be|kind of|unsure)\b"
    "|可能|也许|大概|好像|似乎|估计|听说|据说|或许|不确定|没准|说不定|考虑|应该是|差点"
)
_OTHER_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'll|I'd|[Mm]y|me|mine|myself|[Ww]e|[Oo]ur)\b|[我咱俺]"
    r"|\b(?:[Yy]ou|[Yy]our)\b|[你您]"
)
_IS = re.compile("^the user (?:is|was)\\b|^用户(?:是|很|非常|真)")
_THAT = re.compile(r"\b(?:that|this|it)(?:'s|s| is| was)\b|^[这那它]")
_OWN = re.compile(r"\b(?:i|i'?m|my|me|we|our)\b|[我咱俺]")
_MARKUP = re.compile(r"[{}\x00-\x1f\x7f\u0085\u2028\u2029\ud800-\udfff]|</?data|\\u[0-9a-f]|```")
_PARTS = re.compile(r"(?<=[,，;；。!！?？\n])|(?<=\.)(?=\s)|(?=\b(?:but|and)\b)|(?=但)")
# What one wonders is asked; what stands before it, "I have two cats and was wondering …?", is not.
_CLAUSES = re.compile(
    r"(?<=[,，;；。!！?？\n])|(?<=\.)(?=\s)|(?=\bbut\b)|(?=但)"
    r"|(?=\b(?:and|so)(?: I)?(?: am|'m| was)?(?: just)? wondering\b)"
)

_LENT = (2, 2)  # Of a sentence that rests on a quotation as much may be in other words

_RELATIVES = re.compile(
    r"^the user's (?:\w+ )?(?:sister|brother|mother|mum|mom|father|dad|son|daughter|wife|husband|"
    r"partner|girlfriend|boyfriend|friend|colleague|manager|boss|cousin|aunt|uncle|"
    r"grand\w+|neighbour|neighbor|teacher|doctor|dog|cat|roommate|flatmate|child|kid|parents?)\b"
    "|^用户的?(?:一个)?(?:妹妹|姐姐|哥哥|弟弟|妈妈|母亲|爸爸|父亲|儿子|女儿|妻子|老婆|丈夫|老公|"
    "男朋友|女朋友|朋友|同事|经理|老板|上司|领导|表[姐妹哥弟]|堂[姐妹哥弟]|阿姨|叔叔|舅舅|"
    "[爷奶]+|外公|外婆|邻居|老师|医生|室友|孩子|父母|猫|狗)"
)


class Evidence(NamedTuple):
    """What a statement claims to be read from, and what stood around it."""

    said: str  # It must speak of this
    context: str = ""  # This may lend it words, names and numbers

    @property
    def whole(self) -> str:
        return f"{self.said}\n{self.context}"


def objection(content: str, source: Evidence, language: str) -> str:
    """Why a sentence read from `source` cannot be kept; empty where it can."""
    return _unsaid(content, source, closest(content, source.said), language, (4, 5))


def misread(
    content: str, words: str, source: Evidence, language: str, *, averse: bool = False
) -> str:
    """The same of a sentence that rests on some `words` of `source`; of one about what somebody is
    averse to, which needs no "not" to be told."""
    clause = closest(words, source.said)
    if clause.rstrip().endswith(("?", "？")):
        return "a question is no statement"
    return _unsaid(content, source, words, language, _LENT, averse=averse)


def _unsaid(
    content: str,
    source: Evidence,
    clause: str,
    language: str,
    own: tuple[int, int],
    *,
    averse: bool = False,
) -> str:
    if content.endswith(("?", "？")) or clause.rstrip().endswith(("?", "？")):
        return "a question is no statement"
    if not shares(content, source.said):
        return "it speaks of something else"
    if _IS.search(fold(content)) and _THAT.search(fold(clause)) and not _OWN.search(fold(clause)):
        return "it is not about the user"
    if _affirms(content, clause) and not _denies(content):
        return "it says the contrary"
    return invented(content, source, clause, language, own, averse=averse)


def stands(text: str, words: str) -> bool:
    """Whether `words` stand in `text`, whatever their case, spaces and punctuation."""
    quoted = _letters(words)
    return len(quoted) > 1 and quoted in _letters(text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, fold(text)))


def invented(
    content: str,
    source: Evidence,
    clause: str,
    language: str,
    own: tuple[int, int] = (4, 5),
    *,
    averse: bool = False,
) -> str:
    """What of a sentence, beside its point, is not in its source; empty where all is.

    Of its words one in so many, and of its Chinese characters one in so many, may be its own.
    """
    if _MARKUP.search(content):
        return "it is no plain sentence"
    if _OTHER_PERSON.search(content):
        return "it is not in the third person"
    if not _in_language(content, language):
        return "it is in another language"
    if negated(content) and not averse and not _denies(clause):
        return "it says the contrary"
    if not _numbers(content) <= _numbers(source.whole):
        return "it has a number of its own"
    if not names(content, language) <= _latin(source.whole) or any(
        name not in fold(source.whole) for name in _CALLED.findall(fold(content))
    ):
        return "it has a name of its own"
    if _strange(content, source.whole, *own):
        return "it has words of its own"
    return ""


def negated(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    folded = fold(text)
    return bool(_NOT_EN.search(folded) or _NOT_ZH.search(_NO_NEGATION.sub("", folded)))


def turned(text: str, said: str) -> bool:
    """Whether a text that sums up `said` denies a clause of it, or affirms what it denies."""
    clauses = [(_units(clause), _denies(clause)) for clause in _PARTS.split(text)]
    for part in _PARTS.split(said):
        units = _units(part)
        shared, denied = max(((len(units & has), no) for has, no in clauses), key=itemgetter(0))
        if shared and denied != _denies(part):
            return True
    return False


def _affirms(content: str, said: str) -> bool:
    """Whether a sentence speaks of something that is denied in what was said.

    Of "I don't drink tea, coffee is fine" it may be the coffee.
    """
    wanted = _units(content)
    denied, plain = [], set()
    for part in _PARTS.split(said):
        if negated(part):
            denied.append(_units(part))
        else:
            plain |= _units(part)
    other = wanted & plain
    return bool(denied) and (not other or any(wanted & units - plain for units in denied))


def _denies(clause: str) -> bool:
    return negated(clause) or bool(_OVER.search(fold(clause)))


def about_relative(content: str) -> bool:
    """Whether a sentence is about someone or some animal of the user's."""
    return bool(_RELATIVES.search(fold(content)))


def hedged(text: str) -> bool:
    """Whether a sentence leaves open that it is not so."""
    return bool(_HEDGED.search(fold(text)))


def shares(a: str, b: str) -> bool:
    """Whether two texts have a word of content in common."""
    return not _units(a).isdisjoint(_units(b))


def lost(content: str, fact: str) -> bool:
    """Whether a sentence leaves out a number or a Latin name of a fact that it stands for."""
    named = names(fact, "en") - {"user"}
    return not (_numbers(fact) <= _numbers(content) and named <= _latin(content))


def closest(content: str, said: str) -> str:
    """The clause of `said` that has most of the words of `content`."""
    wanted = _units(content)
    return max(_CLAUSES.split(said), key=lambda clause: len(wanted & _units(clause)))


def contains(text: str, part: str) -> bool:
    """Whether `part` stands in `text`, whatever its case."""
    return bool(part.strip()) and fold(part.strip()) in fold(text)


def names(text: str, language: str) -> set[str]:
    """The Latin names of a text, folded: in English what is capitalised, in Chinese every word."""
    found = _LATIN.findall(text)
    if language == "en":
        found = [word for word in found if word != word.lower()]
        glue = ENGLISH | _glue_words()
        found = [word for word in found if _bare(word) not in glue]
    return {_bare(word) for word in found}


@cache
def _glue_words() -> frozenset[str]:
    return frozenset(_GLUE_EN.split())


@cache
def _glue_stems() -> frozenset[str]:
    return frozenset(index_words(" ".join([_GLUE_EN, *_ENGLISH_NUMBERS])))  # numbers go apart


@cache
def _glue_han() -> re.Pattern[str]:
    return re.compile(_GLUE_ZH)


def _bare(word: str) -> str:
    folded = fold(word)
    return folded[:-2] if folded.endswith("'s") else folded


def _latin(text: str) -> set[str]:
    return {_bare(word) for word in _LATIN.findall(text)}


def _in_language(content: str, language: str) -> bool:
    han = len(_HAN.findall(content))
    # A Chinese sentence may be mostly the names of products, an English one name a Chinese person.
    return han > 0 if language == "zh" else han <= len(content) // 4


def _numbers(text: str) -> set[int]:
    """The values of the numbers in a text, in digits or words."""
    folded = fold(text)
    found = {int(digits) for digits in _DIGITS.findall(folded) if len(digits) < 30}
    found |= {_ENGLISH_NUMBERS[word] for word in _LATIN.findall(folded) if word in _ENGLISH_NUMBERS}
    return found | {_NUMERALS[c] for c in folded if c in _NUMERALS}


def _units(text: str) -> set[str]:
    """What a text speaks of: stems and single Chinese characters, without glue."""
    return set(_stems(text)) | set("".join(_han_runs(text)))


def _stems(text: str) -> Iterable[str]:
    words = index_words(_HAN.sub(" ", text))
    return (word for word in words if word not in _glue_stems() and not word.isdecimal())


def _han_runs(text: str) -> list[str]:
    """Stretches of Chinese characters that mean something."""
    text = _glue_han().sub(" ", fold(text))
    empty = CHINESE_CHARACTERS | _NUMERALS.keys()
    return "".join(c if _HAN.match(c) and c not in empty else " " for c in text).split()


def _strange(content: str, source: str, words: int, characters: int) -> bool:
    """Whether too much of `content` is not in `source`."""
    known = _units(source)
    stems = set(_stems(content))
    if len(stems - known) > len(stems) // words:
        return True
    said = "".join(_han_runs(content))
    return sum(c not in known for c in said) > len(said) // characters
