"""Trying the model that is set: what works, how fast, and how well it reads."""

from __future__ import annotations

from datetime import datetime
from time import perf_counter

from loxodon.config import ModelConfig
from loxodon.errors import BadReplyError
from loxodon.messages import LANGUAGES
from loxodon.models import trial
from loxodon.models.chat import ChatModel
from loxodon.store.store import Store
from loxodon.types import ModelChecked, ModelTried
from loxodon.write.asking import put_trial


def check(model: ChatModel, store: Store, config: ModelConfig, now: datetime) -> ModelChecked:
    """Have it read the test sentences of every language, and keep how it did; ModelError where it
    cannot be asked at all."""
    tried = []
    for language in LANGUAGES:
        found, one = _tried(model, language)
        tried.append(one)
        put_trial(store, config, language, found, now)
    good = all(one.passed >= trial.ENOUGH for one in tried)
    return ModelChecked(config.name, config.base_url, model.keeps_to_schemas, good, tuple(tried))


def _tried(model: ChatModel, language: str) -> tuple[trial.Trial, ModelTried]:
    started = perf_counter()
    try:
        found, tokens_in, tokens_out = trial.attempt(model, language)
    except BadReplyError as error:  # it answers, and nothing that can be used
        none = trial.Trial.none(language)
        took = perf_counter() - started
        return none, ModelTried(
            language,
            0,
            none.of,
            none.failed,
            took,
            error.tokens_in,
            error.tokens_out,
            error.localized()[0],
        )
    took = perf_counter() - started
    return found, ModelTried(
        language, found.passed, found.of, found.failed, took, tokens_in, tokens_out
    )
