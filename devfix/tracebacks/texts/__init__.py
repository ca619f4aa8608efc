"""The table of texts: families of messages, those that say most first."""

from __future__ import annotations

from devfix.tracebacks.readings import Family
from devfix.tracebacks.texts.backends import BACKENDS
from devfix.tracebacks.texts.devices import DEVICES, GENERAL
from devfix.tracebacks.texts.dtypes import DTYPES
from devfix.tracebacks.texts.libraries import LIBRARIES
from devfix.tracebacks.texts.loading import LOADING
from devfix.tracebacks.texts.narrow import NARROW
from devfix.tracebacks.texts.operators import OPERATORS
from devfix.tracebacks.texts.sorts import SORTS
from devfix.tracebacks.texts.unrelated import UNRELATED

FAMILIES: tuple[Family, ...] = (
    *LIBRARIES,
    *LOADING,
    *BACKENDS,
    *OPERATORS,
    *DEVICES,
    *DTYPES,
    *NARROW,
    *SORTS,
    *GENERAL,
    *UNRELATED,
)
