"""From the first person to the third: "I moved to my flat" is "the user moved to their flat"."""

from __future__ import annotations

import re

from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.scene import Scene
from loxodon.write.en.verbs import AUXILIARIES, forms_of, is_noun_too, third_person

ADVERBS = frozenset(
    """
    also just only still now never always usually often sometimes rarely really actually already
    currently recently finally basically mostly mainly probably definitely technically officially
    even ever hardly barely nearly almost both so too clearly simply literally genuinely totally
    fully completely kind of sort of possibly absolutely honestly normally generally typically
    constantly occasionally regularly then once quickly quietly slowly secretly suddenly
    originally lately deliberately accidentally apparently maybe perhaps personally no longer
    """.split()
)
_TOKEN = Lazy(r"[^\s,;:()]+(?:[:,]\d[^\s,;:()]*)*|[,;:()]")
_ENDING = Lazy(r"(?i)(.+)('m|'ve|'re|'ll|'d|'s)")
_PRONOUNS = frozenset(
    """
    i we he she they it that there you who what this
    """.split()
)

Tokens = list[str]


def tokens_of(text: str) -> Tokens:
    """The words and marks of `text`; what is contracted onto a word is a part of its own."""
    found: Tokens = []
    for word in _TOKEN.findall(text):
        ending = _ENDING.fullmatch(word)
        if ending and ending[2].lower() != "'s":
            found += [ending[1], ending[2].lower()]
        elif ending:
            found += [ending[1], "'s"]
        else:
            found.append(word)
    return found


def text_of(tokens: Tokens) -> str:
    """The text of tokens; marks and a genitive 's join what stands before them."""
    text = " ".join(tokens)
    text = re.sub(r" ([,;:)]|'s\b)", r"\1", text)
    return re.sub(r"\( ", "(", text).strip(" ,;:")


_HAS_AFTER = frozenset(
    """
    packed handed jacked ditched swapped upgraded cancelled transferred
    gone been left put got moved had become started finished passed qualified retired turned joined
    stopped decided asked lost broken split quit come become taken made given grown won met found
    begun changed arrived happened fallen bought sold built agreed died recovered returned
    switched signed died graduated emigrated relocated emailed phoned called-off resigned dropped
    never always already just recently finally
    """.split()
)
_IS_AFTER = frozenset(
    """
    a an the in at on off out back from not so too very really still now called named due over fine
    about going my our his her only also here there up down away under with for into like good
    great bad ok well ill sick dead alive pregnant allergic single married divorced engaged retired
    vegan vegetarian coeliac celiac diabetic autistic deaf blind obsessed scared terrified afraid
    mad crazy keen busy broke tired free full new old young available based booked cancelled born
    closed open two three four five six seven eight nine ten eleven twelve home first last half
    gluten-free lactose intolerant supposed less more better worse almost nearly both expected
    """.split()
)


def resolve_s(tokens: Tokens, at: int, subject: bool = True) -> str:
    """What the 's at `at` stands for: "is", "has", or "'s" for a genitive, which it mostly is
    where it does not follow the subject of the sentence."""
    before = tokens[at - 1].lower() if at else ""
    after = [part.lower() for part in tokens[at + 1 : at + 7]]
    if not after:
        return "'s"
    first = after[0]
    second = after[1] if len(after) > 1 and first in ADVERBS else first
    forms = forms_of(second)
    if second in ("got", "been", "had") or (first in ADVERBS and second in _HAS_AFTER):
        return "has"
    if second in _HAS_AFTER and second not in ADVERBS:
        return "has"
    if "participle" in forms and len(after) > 1 and after[1] in _OBJECTS:
        return "has"
    if (
        before[:1]
        and tokens[at - 1][:1].isupper()
        and tokens[at + 1][:1].isupper()
        and before not in _PRONOUNS
    ):
        return "'s"
    if before in _PRONOUNS or before == "let":
        return "is"
    if not subject and at > 1 and tokens[at - 2].lower() in ("a", "an"):
        return "'s"
    if not subject and (first not in _IS_AFTER or first in ("new", "old", "first", "last", "best")):
        return "'s"
    if first in ("getting", "being", "having", "going"):
        return "is"
    if first in _IS_AFTER or first in ADVERBS or first[0].isdigit() or "ing" in forms:
        checked = "ing" in forms or first[0].isdigit()
        return "'s" if checked and _verb_within(after[1:3]) else "is"
    if ("past" in forms or "participle" in forms) and len(after) > 1:
        return "is"
    if len(after) == 1 and re.fullmatch(r"[a-z]{3,}(?<!stair)(?<!sea)(?<!door)[^sui]s", first):
        return "'s"  # `my uncle's tools`, and no more
    return "'s" if _verb_within(after[1:5]) else "is"


_OBJECTS = frozenset(("me", "my", "us", "our", "the", "a", "an", "his", "her", "it", "him", "them"))


def _verb_within(words: Tokens) -> bool:
    return any(
        word in AUXILIARIES or word == "'s" or "s" in forms_of(word) or "past" in forms_of(word)
        for word in words
    )


def expand(tokens: Tokens) -> Tokens:
    """Contractions written out: 'm is am, 'll is will, 's and 'd by what follows."""
    found: Tokens = []
    for at, part in enumerate(tokens):
        if part == "'s":
            part = resolve_s(tokens, at, subject=False)
        elif part == "'d":
            following = next((t.lower() for t in tokens[at + 1 :] if t.lower() not in ADVERBS), "")
            had = following in ("been", "better", "had") or (
                "participle" in forms_of(following) and "base" not in forms_of(following)
            )
            part = "had" if had else "would"
        else:
            part = {"'m": "am", "'ve": "have", "'re": "are", "'ll": "will"}.get(part, part)
        found.append(part)
    return found


def agree(tokens: Tokens) -> Tokens:
    """The predicate with its first verb in the third person singular."""
    found = list(tokens)
    for at, part in enumerate(found[:5]):
        lower = part.lower()
        if lower in ADVERBS or part == ",":
            continue
        following = found[at + 1].lower() if at + 1 < len(found) else ""
        if lower == "do" and "base" in forms_of(following) and following not in ("work", "do"):
            return _second_verbs([*found[:at], third_person(following), *found[at + 2 :]])
        found[at] = third_person(part)
        if lower in ("read", "put", "cut", "set") and _HABIT.search(" ".join(found)):
            found[at] = f"{lower}s"
        break
    return _second_verbs(found)


_HABIT = Lazy(r"\b(?:every|always|usually|often|daily|most (?:days|nights)|a lot|\w+days)\b", re.I)


def _second_verbs(tokens: Tokens) -> Tokens:
    """Verbs after "and" agree, too: "works and lives", where the first was in the present."""
    first = next((part.lower() for part in tokens if part.lower() not in ADVERBS), "")
    being = first in ("is", "has") and not set(tokens) & {"ing", "to"}
    if not being and (first in AUXILIARIES or "s" not in forms_of(first)):
        return tokens
    found = list(tokens)
    for at in range(1, len(found) - 1):
        if found[at - 1].lower() not in ("and", "but", "or", "then"):
            continue
        skip = at + 1 if found[at].lower() in ADVERBS else at
        forms = forms_of(found[skip].lower()) if skip < len(found) else {}
        follows = found[skip + 1].lower() if skip + 1 < len(found) else ""
        if (
            "base" in forms
            and "past" not in forms
            and (
                follows in _AFTER_VERB
                or "".join(found[skip + 1 : skip + 2])[:1].isupper()
                or (being and not is_noun_too(found[skip].lower()))
            )
        ):
            found[skip] = third_person(found[skip])
    return found


_AFTER_VERB = frozenset(
    """
    a an the my our their in at on for with to as from every some no two three it them full
    """.split()
)


def rewritten(tokens: Tokens, of_user: bool, scene: Scene, names: str) -> Tokens | None:
    """The rest of a sentence in the third person; None where it speaks to the assistant or of
    someone unknown. `of_user`: its subject is the user. `names`: what it has named so far."""
    found: Tokens = []
    at = 0
    while at < len(tokens):
        part = tokens[at]
        lower = part.lower()
        if lower == "of" and at + 1 < len(tokens) and tokens[at + 1].lower() == "us":
            return None if len(found) < 4 or "," not in found else found[: _last_comma(found)]
        if lower in ("you", "your", "yours", "yourself"):
            return _before_you(found)
        if lower in ("i", "we"):
            found.append("the user")
            at += 1
            while at < len(tokens) and tokens[at].lower() in ADVERBS:
                found.append(tokens[at])
                at += 1
            if at < len(tokens):
                found.append(third_person(tokens[at]))
                at += 1
            continue
        if lower in _FIRST and part != "US":
            found.append(_FIRST[lower][0 if of_user else 1])
        elif lower in _THIRD:
            follows = " ".join(tokens[at + 1 : at + 4])
            replaced = _pronoun(lower, found, of_user, scene, names, follows)
            if replaced is None:
                return _before_you(found)
            found.append(replaced)
        else:
            found.append(part)
        at += 1
    return found


_BREAKS = frozenset([",", ";", "if", "so", "because", "when", "which", "and", "but", "since", "as"])


def _before_you(found: Tokens) -> Tokens | None:
    """What was said before a clause that speaks to the assistant: "I'm vegan, as you know"."""
    at = next((n for n in range(len(found) - 1, 2, -1) if found[n].lower() in _BREAKS), 0)
    kept = found[:at] if at and at >= len(found) - 6 else []
    return kept if len(kept) >= 3 and kept[-1].lower() not in _ASKING else None


_ASKING = frozenset("ask know see check say tell hear wonder sure wondering asking like".split())


def _last_comma(tokens: Tokens) -> int:
    return len(tokens) - 1 - tokens[::-1].index(",")


_FIRST = {
    "my": ("their", "the user's"), "our": ("their", "the user's"), "me": ("the user", "the user"),
    "us": ("the user", "the user"), "mine": ("theirs", "the user's"), "ours": ("theirs",
    "the user's"),
    "myself": ("themselves", "the user"), "ourselves": ("themselves", "the user"),
}  # fmt: skip
_THIRD = frozenset(
    """
    he she they him her them his hers their theirs it its himself herself themselves
    """.split()
)


_DUMMY = Lazy(
    r"(?:\w+ )?(?:hard|easy|difficult|easier|harder|impossible|tough|helpful|useful|clear|better|best|important"
    r"|to|when|that|if|is|was|has|would|will|does|work|out)\b|\w+ing\b",
    re.I,
)
"""What follows an "it" that stands for nothing: `finds it hard to`, `hates it when`."""


def _pronoun(
    lower: str, found: Tokens, of_user: bool, scene: Scene, names: str, follows: str
) -> str | None:
    """What stands for a pronoun of the third person: itself where the sentence names whom it
    means, else their name, else None."""
    if lower in ("himself", "herself", "themselves"):
        return lower
    if lower in ("it", "its"):
        nouns = [word for word in found if word.isalpha() and len(word) > 2]
        if scene.things[scene.old :] and of_user and lower == "it" and not _DUMMY.match(follows):
            return scene.things[-1].replace("the user's", "their")
        return lower if len(nouns) >= 2 or not of_user else None
    if lower in ("they", "them", "their", "theirs"):
        if lower == "them" and scene.group and of_user and scene.group not in names:
            return scene.group
        many = any(
            re.fullmatch(r"(?!is|was|has|this|plus|does)\w+s|kids|children|people", word)
            for word in found
        )
        return lower if many or not of_user else None
    if not of_user or any(word[:1].isupper() for word in found[1:]) or "the user's" in found:
        return lower
    if re.search(r"\b(?:their|his|her) \w+", " ".join(found)):
        return lower
    someone = scene.meant_by(lower)
    if someone is None or someone.full in names:
        return lower if someone else None
    return f"{someone.full}'s" if _is_genitive(lower, follows) else someone.full


def _is_genitive(lower: str, follows: str) -> bool:
    """Whether `her` is whose something is: `her cat tree`, but `saw her yesterday`."""
    after = follows.split(" ", 1)[0].lower() if follows else ""
    if lower != "her" or not after.isalpha():
        return lower == "his"
    return (
        after not in ENGLISH
        and after not in ADVERBS
        and not after.endswith("ly")
        and (after not in _AFTER_HER and ("ing" not in forms_of(after)))
    )


_AFTER_HER = frozenset(
    "a an the some two three yesterday today tomorrow tonight last next every once twice active happy safe awake up".split()
)


__all__ = ["ADVERBS", "Tokens", "agree", "expand", "resolve_s", "rewritten", "text_of", "tokens_of"]
