"""Irregular forms: what they are brought to."""

from __future__ import annotations

import Stemmer

from loxodon.text.irregular import BASES, SPELLINGS
from loxodon.text.words import index_words

_stem = Stemmer.Stemmer("english").stemWord


def test_every_form_is_found_by_its_base() -> None:
    for form, base in (BASES | SPELLINGS).items():
        assert index_words(form) == index_words(base) != [], form


def test_what_is_mostly_another_word_is_left_alone() -> None:
    for word in ("rose", "wound", "bore", "born", "lay", "ground", "bit", "shot", "sat", "lives"):
        assert index_words(word) == [_stem(word)]
