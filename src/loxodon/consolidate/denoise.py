"""What is worth keeping of a stretch of talk: small talk and repetitions go, then what says least.

A sentence is weighed by its words, each sentence being a document: words that few others have weigh
most. Numbers, names, negations and what one is asked to remember weigh more than their words alone
tell, and the user's own words more than what was said to them. The order is never changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import ceil, log, sqrt
from typing import NamedTuple

from loxodon.text.bounds import tame
from loxodon.text.sentences import split
from loxodon.text.words import fold, index_words

KEEP = 0.75


class Sentence(NamedTuple):
    """A sentence with the words that it is weighed by."""

    text: str
    words: Sequence[str]  # Its `index_words`
    own: bool = True  # Said by the user


def sentences_of(text: str, own: bool = True) -> list[Sentence]:
    """The sentences of a message."""
    return [Sentence(one, index_words(one), own) for one in split(tame(text))]


def kept(sentences: Sequence[Sentence], keep: float = KEEP) -> list[int]:
    """The places of the share `keep` of `sentences` that tells most; never none of them.

    Small talk and what is said again go first; the share is of what is left.
    """
    telling = [
        n
        for n in range(len(sentences))
        if not is_small_talk(sentences[n].text) or _answers(sentences, n)
    ]
    telling = _without_repetitions(sentences, telling)
    if not telling:
        longest = max(range(len(sentences)), key=lambda n: len(sentences[n].text), default=None)
        return [] if longest is None else [longest]
    weights = _weights([sentences[n] for n in telling])
    heaviest = sorted(range(len(telling)), key=lambda i: (-weights[i], i))
    return sorted(telling[i] for i in heaviest[: max(1, ceil(len(telling) * keep))])


def is_question(text: str) -> bool:
    """Whether a text ends by asking something."""
    return _ASKS.search(text[-40:]) is not None


def is_small_talk(text: str) -> bool:
    """Whether a sentence only greets, thanks, agrees, laughs or fills a pause."""
    return len(text) <= _LONGEST_SMALL_TALK and _made_of(_tokens(text), _small_talk())


# Up to five marks and what is no word may follow: “好吗？”🙂
_ASKS = re.compile(r"[?？吗么呢]\W{0,5}\Z")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:'[a-z]+)?[+#]*")
_LAUGHTER = re.compile(r"\b(?:(?:ha|he|hi){2,}+h?|(?:lo){1,}+l)\b")
_DRAWN_OUT = re.compile(r"([^\W\d])\1{2,}")


def _tokens(text: str) -> list[str]:
    """All words of a text, function words too, as they sound; a Chinese character is one."""
    plain = _DRAWN_OUT.sub(r"\1", fold(text))  # hmmmm, 哈哈哈哈
    return _TOKEN.findall(_LAUGHTER.sub("haha", plain))


# --- small talk ---------------------------------------------------------------------------------

_LONGEST_SMALL_TALK = 80
# What answers a question, and says nothing without one
_REPLIES = """
yes, yeah, yep, yup, yea, ya, aye, no, nope, nah, correct, right, true, neither, both, exactly,
sure, not really, i do, i don't, i am, i'm not, i did, i didn't, it is, it isn't, i have,
i haven't, morning, afternoon, evening, night, today, later, soon, all, fine, good
"""
_REPLIES_ZH = """
是 是的 是啊 对 对的 对啊 没错 没 没有 有 有的 不是 不会 会 不要 要 不 能 不能 可以 不可以 嗯 行
不行
"""
_SMALL_TALK = """
hi, hello, hey, hiya, yo, howdy, heya, there, everyone, folks, good morning, good afternoon,
good evening, good night, good day, gm, gn, bye, goodbye, good bye, see you, see ya, see u, cya,
see you later, see you soon, talk soon, talk later, talk tomorrow, ttyl, brb, take care,
have a good one, have a good day, have a great day, have a nice day, have a lovely day,
have a good night, have a good evening, have a good weekend, have a great weekend, sleep well,
thanks, thank you, thank u, thank god, thankyou, thx, ty, tysm, cheers, ta, so much, very much,
a lot, a bunch, a million, a mil, a ton, again, in advance, anyway, anyways, for that, for this,
for everything, for your help, for the help, for all your help, for the advice, for your advice,
for the tips, for the info, for your time, ok, okay, okey, okie, oki, k, kk, alright, all right,
sure thing, of course, certainly, absolutely, definitely, great, nice, nice one, cool, perfect,
awesome, lovely, brilliant, amazing, wonderful, fantastic, excellent, sweet, lush, epic, neat,
super, fab, yay, woohoo, got it, gotcha, noted, understood, will do, sounds good, sounds great,
sounds fun, sounds perfect, sounds lovely, that makes sense, makes sense, fair, fair enough,
i see, i know, i get it, i understand, i agree, oh, ah, aw, oof, ooh, wow, whoa, omg, hm, mm, um,
uh, er, erm, lmao, haha, ha, ugh, meh, no worries, no problem, no prob, np, you're welcome,
youre welcome, you're very welcome, you are welcome, welcome, welcome back, my pleasure,
it's my pleasure, anytime, any time, don't mention it, glad to help, happy to help, i'm glad,
i'm happy, glad to hear it, glad to hear that, glad i could help, glad it helped,
glad that helped, how are you, how are u, how are things, how are you doing, how's it going,
how is it going, what's up, whats up, sup, how can i help, how can i help you,
how can i help you today, how can i help today, how may i help, how may i help you,
what can i do for you, how can i assist you, how can i assist, let me know,
let me know if you need anything, let me know if you need anything else,
if you need anything else, is there anything else, is there anything else i can help with,
is there anything else i can help you with, anything else i can help you with, nice to meet you,
it's nice to meet you, good to meet you, great to meet you, lovely to meet you,
pleased to meet you, good to see you, nice to see you, great to see you, good to hear from you,
congratulations, congrats, well done, good luck, good idea, good point, good question, good one,
good job, good shout, good call, good stuff, good thinking, great idea, great point,
great question, great job, great work, great stuff, nice work, nice job, fingers crossed,
wish me luck, i'm sorry, i'm so sorry, so sorry, very sorry, sorry, my bad, oops, please, pls,
plz, that's great, that's nice, that's cool, that's good, that's fine, that's ok, that's okay,
that's right, that's it, that's all, that's awesome, that's amazing, it's fine, it's ok,
it's okay, it's all good, all good, well, so, then, just, really, indeed, interesting, one sec,
one second, one minute, one moment, one min, wait, hold on, here you go, here it is, here you are,
love it, love that, love you, love u, go on, go ahead, carry on, continue, mate, dude, bro,
gracias, merci, and, but, very, hah, rofl
"""
_SMALL_TALK_ZH = """
你好 您好 大家好 哈喽 哈啰 哈罗 嗨 嘿 早上好 上午好 中午好 下午好 晚上好 早安 午安 晚安 早 新年好
新年快乐 节日快乐 在吗 在嘛 在么 在不在 有人吗 再见 拜 拜拜 回见 回头聊 回头见 下次聊 下次再聊
明天见 明天聊 先这样 88 谢 谢谢 多谢 感谢 太感谢 辛苦 麻烦 不用谢 不用 不谢 不客气 别客气 没事
没事儿 没关系 不好意思 抱歉 对不起 好 好的 没问题 没毛病 成 妥 恩 哦 噢 喔 啊 额 呃 哈 呵 嘻 呜 哇
233 666 厉害 牛 牛逼 绝 棒 赞 不错 挺好 完美 优秀 收到 明白 知道 懂 懂了 了解 原来如此 原来是这样
原来这样 这样 这样啊 这样子 是吗 真的 真的吗 当然 确实 有道理 说得对 恭喜 加油 节哀 抱抱 保重
有什么可以帮你 有什么可以帮您 有什么可以帮到你 有什么能帮你 有什么我可以帮你 有什么我能帮你
有什么需要帮忙 有什么需要 还有什么需要 还有什么需要帮忙 还有其他问题吗 还有别的问题吗 随时来聊
随时找我 随时叫我 欢迎随时来聊 欢迎随时找我 很高兴认识你 很高兴认识您 很高兴为你服务
很高兴为您服务 能帮到你就好 祝你好运 祝你顺利 祝顺利 祝你愉快 一切顺利 记下 记着 记住 已记录
已记下 稍等 等等 等下 等一下 等会儿 马上 爱你 比心 么么哒 笑死 哎 唉 诶 欸 哟 喂 天哪 天呐 天啊
我去 我靠 我天 那 那个 就是 就 这个 然后 了 啦 呀 吧 呢 嘛 吗 哒 的 呗 滴 嘞 咧 咯 你 您 我 我们
真是 真 太 很 挺 非常 一下 先 也 都 又 还 再 老师 亲 宝 大佬
"""

Phrases = frozenset[tuple[str, ...]]


def _phrases(english: str, chinese: str) -> Phrases:
    return frozenset(tuple(_tokens(one)) for one in (*english.split(","), *chinese.split()))


@cache
def _replies() -> Phrases:
    return _phrases(_REPLIES, _REPLIES_ZH)


@cache
def _small_talk() -> Phrases:
    return _phrases(_SMALL_TALK, _SMALL_TALK_ZH) | _replies()


def _made_of(tokens: Sequence[str], phrases: Phrases) -> bool:
    """Whether `tokens` are nothing but `phrases`, the longest that fits taken each time."""
    place = 0
    while place < len(tokens):
        for length in range(_LONGEST_PHRASE, 0, -1):
            if tuple(tokens[place : place + length]) in phrases:
                place += length
                break
        else:
            return False
    return True


_LONGEST_PHRASE = 10


def _answers(sentences: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence is a bare yes or no to the question before it."""
    if not place or not is_question(sentences[place - 1].text):
        return False
    tokens = _tokens(sentences[place].text)
    return any(tuple(tokens[:length]) in _replies() for length in (1, 2, 3))


# --- repetitions --------------------------------------------------------------------------------

# The share of the longer sentence that the shorter one must have, to be no more than it
_ALIKE = 0.75
# Others with the same rare word that a sentence is compared with: a bound on time
_MOST_COMPARED = 8
# A word more of these, and a sentence says something else
_TURNS_ROUND = frozenset(
    """
    not no never nor don't doesn't didn't isn't aren't wasn't weren't can't cannot couldn't won't
    wouldn't shouldn't haven't hasn't hadn't ain't without if used stopped quit
    不 没 别 非 未 无 勿 了 过 如 若 假
    """.split()  # noqa: SIM905
)


def _without_repetitions(sentences: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """`places` without those whose sentence another one says as well.

    Of the same words once from each side, the user's stay; else what came first.
    """
    said: dict[tuple[str, ...], int] = {}
    for n in places:
        tokens = tuple(_tokens(sentences[n].text))
        known = said.setdefault(tokens, n)
        if sentences[n].own and not sentences[known].own:
            said[tokens] = n
    having: dict[str, list[tuple[str, ...]]] = {}
    for tokens in said:
        for token in dict.fromkeys(tokens):
            having.setdefault(token, []).append(tokens)

    def is_said_by_another(tokens: tuple[str, ...], n: int) -> bool:
        others = min((having[token] for token in tokens), key=len, default=[])
        return any(
            _is_part(tokens, other) and _may_stand_for(sentences[said[other]], sentences[n])
            for other in others[:_MOST_COMPARED]
        )

    return sorted(n for tokens, n in said.items() if not is_said_by_another(tokens, n))


def _is_part(tokens: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a longer sentence has all the words of this one in their order, and little more."""
    if not len(tokens) < len(other) <= len(tokens) / _ALIKE:
        return False
    rest = _rest(tokens, other)
    return rest is not None and _TURNS_ROUND.isdisjoint(rest)


def _may_stand_for(other: Sentence, one: Sentence) -> bool:
    # What the user said is not dropped because somebody repeated it with a word more.
    mine = other.own or not one.own
    return mine and is_question(other.text) == is_question(one.text)


def _rest(part: Sequence[str], whole: Sequence[str]) -> list[str] | None:
    """What `whole` has more than `part`; None if `part` does not stand in it in its order."""
    rest = []
    found = 0
    for token in whole:
        if found < len(part) and token == part[found]:
            found += 1
        else:
            rest.append(token)
    return rest if found == len(part) else None


# --- weight -------------------------------------------------------------------------------------

_TOLD = 0.3  # What was said to the user weighs this share of what the user said
_ASKED = 0.7
_SPECIFIC = 2.5
_TO_REMEMBER = 4.0


# Numbers, names and negations
_SPECIFIC_PATTERN = re.compile(
    r"\d|(?<=[a-z,] )[A-Z][a-z]|\b[A-Z]{2,}\b|[a-z][A-Z]"
    r"|(?i:\b(?:not|no|never|none|without|nor)\b|n['’]t\b|\b(?:dont|cant|wont|doesnt|didnt|isnt)\b)"
    r"|[不没无非未别]|[一二三四五六七八九十两百千万][个岁年月号点块元斤天次周]"
    r"|[叫姓《「“]|[\u3400-\u9fff] ?[A-Za-z]|[A-Za-z] ?[\u3400-\u9fff]"
    r"|我[妈爸妹弟哥姐爷奶爹娘儿女老]|(?i:\bmy\b)"
)


_TO_REMEMBER_PATTERN = re.compile(
    r"记[住得着下]|[别不]要?忘|以后都"
    r"|(?i:\b(?:remember|don['’]?t forget|from now on|note that)\b)"
)


def _weights(sentences: Sequence[Sentence]) -> list[float]:
    shared = Counter(word for one in sentences for word in set(one.words))
    total = len(sentences) + 1
    found: list[float] = []
    for n, one in enumerate(sentences):
        times = Counter(one.words)
        rare = sum((1 + log(times[word])) * log(total / shared[word]) for word in times)
        weight = rare / sqrt(len(one.words) + 1)
        if _SPECIFIC_PATTERN.search(one.text):
            weight *= _SPECIFIC
        if _TO_REMEMBER_PATTERN.search(one.text):
            weight *= _TO_REMEMBER
        if is_question(one.text):
            weight *= _ASKED
        if not one.own:
            weight *= _TOLD
        if n and _answers(sentences, n):
            weight = max(weight, found[-1])
        found.append(weight)
    return found


# --- what is no talk ----------------------------------------------------------------------------

_LEAST_KEY = 16
_LINK = re.compile(
    r"(?:https?://|www\.)[!-~]+|(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,64}\.[\w.-]{2,64}", re.ASCII
)
_MAYBE_KEY = re.compile(r"[A-Za-z0-9_+/=~.\-]{12,}")
_KNOWN_KEY = re.compile(
    r"(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|hf|npm|xox[abp])[-_]|AKIA|AIza|eyJ"
)
_SIGN = re.compile(r"[{}()\[\]<>=;|$\\`_*/&#@^~+]")
_MOST_SIGNS = 0.12


# A word for a secret, and what may be the secret
_CONFIDED = re.compile(
    r"(?i:\b(?:passwords?|passwd|pwd|passcode|pin|api[ _-]?keys?|secret(?: key)?|tokens?)\b)"
    r"[^.,;!?]{0,24}?(?:\bis\b|[:=]|\bto\b)\s*\S|(?:密码|口令|密钥|验证码|卡号|身份证号?|令牌)"
    r"[^，。；！？,;!?]{0,6}?[A-Za-z0-9]{3,}"
)


def sayable(text: str) -> str:
    """A sentence as it may be shown in a headline: without links and keys; empty if it is code."""
    if is_code(text) or _CONFIDED.search(text):
        return ""
    plain = _LINK.sub(" ", text)
    return " ".join(_MAYBE_KEY.sub(lambda m: " " if _is_key(m[0]) else m[0], plain).split())


def is_code(text: str) -> bool:
    """Whether a sentence is a fenced block, or has more signs than talk has."""
    if text.startswith(("```", "~~~")):
        return True
    signs = len(_SIGN.findall(text))
    return signs > 2 and signs > _MOST_SIGNS * len(text)


def _is_key(token: str) -> bool:
    """Whether a long token is no word: a key, a hash, the number of a card."""
    if _KNOWN_KEY.match(token) or token.isdigit():
        return True
    longest = max(re.split(r"[-_./~]", token), key=len)
    mixed = any(map(str.isdigit, longest)) and any(map(str.isalpha, longest))
    return len(longest) >= _LEAST_KEY and mixed
