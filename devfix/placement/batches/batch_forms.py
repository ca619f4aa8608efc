"""Batch forms: the statement that moves what is behind a name, by the form of what that is."""

from __future__ import annotations

_DICT = "{{k: {part} for k, v in {whole}.items()}}"
_VALUE, _ANY_VALUE = "v.to({device})", 'v.to({device}) if hasattr(v, "to") else v'
_FORMS = {
    "tensor": "{name} = {name}.to({device})",
    # An object whose ``to`` returns the moved one, and one that moves itself.
    "object": "{name} = {name}.to({device})",
    "mover": "{name}.to({device})",
    "list": "{name} = [t.to({device}) for t in {name}]",
    "mixed list": '{name} = [t.to({device}) if hasattr(t, "to") else t for t in {name}]',
    "dict": "{name} = " + _DICT.replace("{part}", _VALUE).replace("{whole}", "{name}"),
    "mixed dict": "{name} = " + _DICT.replace("{part}", _ANY_VALUE).replace("{whole}", "{name}"),
    # Of a class of the project: what is made anew is of that class, too.
    "own dict": "{name} = type({name})(" + _DICT.replace("{part}", _VALUE).replace("{whole}", "{name}") + ")",
    "mixed own dict": "{name} = type({name})("
    + _DICT.replace("{part}", _ANY_VALUE).replace("{whole}", "{name}")
    + ")",
    # Targets of detection.
    "dicts": "{name} = [" + _DICT.replace("{part}", _VALUE).replace("{whole}", "t") + " for t in {name}]",
    "mixed dicts": "{name} = ["
    + _DICT.replace("{part}", _ANY_VALUE).replace("{whole}", "t")
    + " for t in {name}]",
    "namedtuple": "{name} = type({name})(*(t.to({device}) for t in {name}))",
    "mixed namedtuple": '{name} = type({name})(*(t.to({device}) if hasattr(t, "to") else t for t in {name}))',
    "dataclass": "{name} = type({name})(**"
    + _DICT.replace("{part}", _VALUE).replace("{whole}", "vars({name})")
    + ")",
    "mixed dataclass": "{name} = type({name})(**"
    + _DICT.replace("{part}", _ANY_VALUE).replace("{whole}", "vars({name})")
    + ")",
}
#: Lists and dicts; mixed ones hold other things than tensors, too.
COLLECTIONS = frozenset(form for form in _FORMS if form.endswith(("list", "dict", "dicts")))
#: Under one name of several: these, and what moves itself and returns what it has become.
PARTS = COLLECTIONS | {"object"}
DICTS = frozenset(form for form in _FORMS if form.endswith("dict"))
#: Dicts of a class of the project.
OWN_DICTS = frozenset(form for form in DICTS if "own" in form.split())
#: What has its parts under names of its own, and becomes another of its class.
RECORDS = frozenset(form for form in _FORMS if form.endswith(("namedtuple", "dataclass")))


def moved(form: str, name: str, device: str) -> str:
    """The statement that moves what is behind ``name`` and has this form."""
    return _FORMS[form].format(name=name, device=device)


def written(form: str, name: str, device: str) -> str:
    """The expression of what is behind ``name`` when it has moved."""
    return moved(form, name, device).removeprefix(f"{name} = ")
