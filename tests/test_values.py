"""Values made fast behave as those of typing."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from loxodon.values import NamedTuple


class Ours(NamedTuple):
    """A value."""

    name: str
    size: int = 2
    """With a word on it."""
    more: tuple[str, ...] = ()

    @property
    def twice(self) -> int:
        return self.size * 2

    def again(self) -> Ours:
        return self._replace(name=self.name * 2)


class Theirs(typing.NamedTuple):
    """A value."""

    name: str
    size: int = 2
    more: tuple[str, ...] = ()


class Narrower(Ours):
    """One with a method more."""

    def thrice(self) -> int:
        return self.twice + self.size


MADE: list[Callable[[Any], Any]] = [
    lambda kind: kind("a"),
    lambda kind: kind("a", 3),
    lambda kind: kind(size=3, name="a"),
    lambda kind: kind("a", more=("x",)),
    lambda kind: kind("a")._replace(size=9),
    lambda kind: kind._make(["a", 1, ()]),
]
REFUSED: list[Callable[[Any], Any]] = [
    lambda kind: kind(),
    lambda kind: kind("a", 1, (), 4),
    lambda kind: kind("a", name="b"),
    lambda kind: kind("a", other=1),
    lambda kind: kind._make(["a"]),
    lambda kind: kind("a")._replace(other=1),
]


@pytest.fixture(params=["the first", "a late one"])
def ours(request: pytest.FixtureRequest) -> Any:
    """A class of which no value was made yet, or many: both ways to make one."""

    class Fresh(NamedTuple):
        name: str
        size: int = 2
        more: tuple[str, ...] = ()

    for _ in range(100 if request.param == "a late one" else 0):
        Fresh("x")
    return Fresh


@pytest.mark.parametrize("make", MADE)
def test_it_is_made_as_theirs(ours: Any, make: Callable[[Any], Any]) -> None:
    made, expected = make(ours), make(Theirs)
    assert made == expected
    assert (made.name, made.size, made.more) == tuple(expected)
    assert made._asdict() == expected._asdict()
    assert hash(made) == hash(expected)
    assert repr(made) == repr(expected).replace("Theirs", "Fresh")


@pytest.mark.parametrize("make", REFUSED)
def test_it_is_refused_as_theirs(ours: Any, make: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        make(Theirs)
    with pytest.raises(expected.type):
        make(ours)


def test_what_a_class_says_of_itself() -> None:
    assert Ours._fields == Theirs._fields == Ours.__match_args__
    assert Ours._field_defaults == Theirs._field_defaults
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Theirs)
    assert Ours.__doc__ == "A value."


def test_it_is_copied_and_pickled() -> None:
    one = Ours("a", 3)
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one
        assert type(other) is Ours


def test_methods_and_classes_made_of_it() -> None:
    assert Ours("a").again() == ("aa", 2, ())
    one = Narrower("a", 4)
    assert (type(one), one.thrice(), type(one._replace(size=5))) == (Narrower, 12, Narrower)
    match one:
        case Narrower(name, size):
            assert (name, size) == ("a", 4)


def test_a_field_without_a_default_comes_first() -> None:
    with pytest.raises(TypeError, match="without a default"):

        class Wrong(NamedTuple):
            name: str = ""
            size: int  # type: ignore[misc]
