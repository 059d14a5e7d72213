"""Every error that Loxodon raises on purpose.

    LoxodonError               exit code 1
    ├── UsageError             2  an invalid command or argument
    ├── ForbiddenError         2  not allowed for this agent, chat or token
    ├── NotFoundError          3  no such home, space, memory or message
    │   └── DeletedSpaceError     the space was deleted while it was open
    ├── InputError             4  invalid text, date, file or field
    │   └── CallError             an invalid call, raised by `loxodon.compat`; also a ValueError
    ├── StaleEditError         5  the memory was changed in the meantime
    ├── PausedError            5  the memory is paused and stores nothing
    ├── TokenReusedError       5  the idempotency token was already used for a different call
    ├── ConfigError            6  config.toml, or a setting in it, is invalid
    ├── StoreError             7  the database cannot be used
    │   ├── DamagedStoreError     it is damaged, or not a Loxodon database
    │   ├── FullStoreError        the disk is full
    │   ├── UnwritableStoreError  the home cannot be written
    │   ├── LockedStoreError      it is encrypted, and the key is missing or wrong
    │   ├── BusyStoreError        another process held it for too long
    │   │   └── UnreachableStoreError   its server cannot be reached; nothing was stored
    │   └── UnknownOutcomeError   the server was lost while it stored: it may be stored or not
    ├── KeyProblemError       10  a key is missing, wrong or cannot be read
    ├── ConsolidationError     9  consolidation has stopped after three failures
    └── ModelError             8  the model gave no usable answer, or its tokens are used up
        ├── UnreachableModelError it cannot be reached, is too slow or overloaded, or fails
        └── BadReplyError         its answer makes no sense

An error says what was attempted, on what, why it failed (the message) and what to do next (the
hint). Both are English templates with named values, so that an entry point can say them in the
user's language: `localized("zh")`. Return errors to the caller; only entry points print them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC

from loxodon.messages import t, tn


class LoxodonError(Exception):
    """The root: catch this to catch all that Loxodon raises on purpose."""

    exit_code, code = 1, "error"

    def __init_subclass__(cls, exit_code: int = 0, code: str = "") -> None:
        """The code, which API clients see, is the name unless it is given: `not_found`."""
        cls.exit_code = exit_code or cls.exit_code
        name = cls.__name__.removesuffix("Error")
        cls.code = code or re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()

    def __init__(
        self,
        message: str,
        /,
        *,
        hint: str = "",
        plural: str = "",  # what it says unless the value `n` is 1; empty where it counts nothing
        problems: Sequence[tuple[int, LoxodonError]] = (),  # one for each bad line of a file
        **values: object,
    ) -> None:
        self.template, self.plural_template, self.hint_template = message, plural, hint
        self.problems, self.values = tuple(problems), values
        super().__init__(self.localized("en")[0])

    @property
    def hint(self) -> str:
        """What to do about it, in English; empty where there is nothing to suggest."""
        return self.localized("en")[1]

    def localized(self, language: str | None = None) -> tuple[str, str]:
        """The message and the hint in `language` (that of the process when None)."""
        values = dict(self.values)
        for name, value in self.values.items():
            if isinstance(value, LoxodonError):  # one error about another speaks one language
                values[name], values[f"{name}_hint"] = value.localized(language)
        hint = t(self.hint_template, language, **values) if self.hint_template else ""
        if self.plural_template:
            n = values.pop("n")
            return tn(self.template, self.plural_template, n, language, **values), hint  # type: ignore[arg-type]
        return t(self.template, language, **values), hint


class UsageError(LoxodonError, exit_code=2): ...


class ForbiddenError(LoxodonError, exit_code=2): ...


class NotFoundError(LoxodonError, exit_code=3): ...


class DeletedSpaceError(NotFoundError): ...


class InputError(LoxodonError, exit_code=4, code="bad_input"): ...


class CallError(InputError, ValueError, code="bad_call"): ...


class StaleEditError(LoxodonError, exit_code=5): ...


class PausedError(LoxodonError, exit_code=5): ...


class TokenReusedError(LoxodonError, exit_code=5): ...


def stale_edit(id: str, found: int, given: int) -> StaleEditError:
    message = "{id} was changed in the meantime: it is at version {found}, not {given}"
    hint = "check it with `loxodon get {id}`, then repeat the edit"
    return StaleEditError(message, hint=hint, id=id, found=found, given=given)


# The hint for a missing package; it takes the value `extra`.
INSTALL = 'install it with `pip install "loxodon[{extra}]"`'


def unwritable(path: str, reason: str | OSError) -> StoreError:
    if isinstance(reason, OSError):
        path = path or str(reason.filename or "…")
        if reason.errno in (ENOSPC, EDQUOT):
            hint = "free some disk space and try again; everything acknowledged is safe"
            return FullStoreError("cannot write {path}: the disk is full", hint=hint, path=path)
        reason = reason.strerror or str(reason)
    hint = "make it writable (reading needs that, too), or choose another with --home"
    message = "cannot write {path}: {reason}"
    return UnwritableStoreError(message, hint=hint, path=path, reason=reason)


@contextmanager
def disk_errors(path: str) -> Iterator[None]:
    """An OSError within is told as `unwritable`."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


def busy(path: str) -> BusyStoreError:
    hint = "close that program, or try again later"
    return BusyStoreError("{path} is locked by another program", hint=hint, path=path)


def no_memory(id: str) -> NotFoundError:
    hint = "list the memories with `loxodon list`"
    return NotFoundError("no memory with the id {id}", hint=hint, id=repr(id))


class ConfigError(LoxodonError, exit_code=6): ...


class ConsolidationError(LoxodonError, exit_code=9): ...


class StoreError(LoxodonError, exit_code=7): ...


class DamagedStoreError(StoreError): ...


class FullStoreError(StoreError): ...


class UnwritableStoreError(StoreError): ...


class BusyStoreError(StoreError): ...


class UnreachableStoreError(BusyStoreError): ...


class UnknownOutcomeError(StoreError): ...


class LockedStoreError(StoreError): ...


class KeyProblemError(LoxodonError, exit_code=10, code="key"): ...


class ModelError(LoxodonError, exit_code=8): ...


class UnreachableModelError(ModelError): ...


class BadReplyError(ModelError): ...


def refused(what: str) -> UsageError:
    """The error for what a memory in PostgreSQL does not do."""
    hint = "docs/postgres.md says what to do instead"
    return UsageError("{what} is for a memory in files, not in PostgreSQL", hint=hint, what=what)
