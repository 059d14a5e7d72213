"""`NamedTuple`, made fast: the values of what a cold command loads.

A type checker sees `typing.NamedTuple`, and so does who uses one. `typing` compiles the annotation
of each field and a constructor for each class, a third of a millisecond in all, and a recall from
the shell loads a hundred and fifty classes, most of which it makes few values of, or none. Here
nothing is compiled before there are some. Annotations must be strings, as they are with `from
__future__ import annotations`; a class with type parameters needs the `NamedTuple` of typing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from operator import itemgetter

    try:
        from _collections import _tuplegetter as _field
    except ImportError:  # not CPython

        def _field(n, doc):
            return property(itemgetter(n), doc=doc)

    _new = tuple.__new__

    _FEW = 12
    """Values of a class that are made without a constructor of its own, which takes as long."""

    def _first(fields, defaults):
        """The constructor of a class until it has a few values: then makes the one that stays."""
        made = 0

        def first(cls, /, *args, **named):
            nonlocal made
            made += 1
            if made <= _FEW:
                if len(args) == len(fields) and not named:
                    return _new(cls, args)
                rest = fields[len(args) :]
                given = defaults | named
                if len(args) <= len(fields) and named.keys() <= set(rest) <= given.keys():
                    return _new(cls, (*args, *[given[name] for name in rest]))
            owner = next(one for one in cls.__mro__ if "_fields" in vars(one))
            names = "".join(f"{name}, " for name in fields)
            source = f"lambda _cls, {names}: _new(_cls, ({names}))"
            fast = eval(source, {"_new": _new})  # noqa: S307 names of fields, as collections does
            fast.__defaults__ = tuple(defaults.values())
            fast.__qualname__ = f"{owner.__qualname__}.__new__"  # which complaints name
            owner.__new__ = fast
            return fast(cls, *args, **named)

        return first

    class _Values(tuple):
        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({shown})"

        def __getnewargs__(self):
            return tuple(self)

    class _Making(type):
        def __new__(cls, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ()))
            given = [one for one in fields if one in namespace]
            if given != list(fields[len(fields) - len(given) :]):
                raise TypeError(f"a field of {name} without a default follows one with a default")
            defaults = {one: namespace.pop(one) for one in given}
            namespace |= {one: _field(n, "") for n, one in enumerate(fields)}
            namespace |= {
                "__slots__": (),
                "__match_args__": fields,
                "__new__": _first(fields, defaults),
                "_fields": fields,
                "_field_defaults": defaults,
            }
            return type(name, (_Values,), namespace)

    class _Base:
        def __mro_entries__(self, bases):
            return (_ROOT,)

    _ROOT = type.__new__(_Making, "NamedTuple", (), {})
    NamedTuple = _Base()
