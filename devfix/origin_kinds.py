"""The kinds of places that are noted in the life of a value."""

from __future__ import annotations

#: How a move comes to be in vain where a loop throws the copies away: of what is in a list, in a tuple, has names side by side, or
#: is in a dict.
OF_LOOPS = IN_LIST, IN_TUPLE, IN_TURN, IN_DICT = (
    "discarded-in-list",
    "discarded-in-tuple",
    "discarded-in-turn",
    "discarded-in-dict",
)
#: All ways: the copy of the tensor is thrown away, that of what it is in, or a loop does so.
DISCARDED = ("discarded-move", "discarded-copy", *OF_LOOPS)
#: What an origin can be. How a value came to be: a factory call, a random factory call, an element of a
#: loader or dataset, an array, the tensor made of one, a move, a cast, a module's construction, the output of a tokenizer,
#: a checkpoint (or one loaded to the CPU on request), the new data of a parameter, a function parameter, the result of an operation,
#: whole numbers that ``~`` turned round, floats that ``/`` made of whole numbers, a part of complex numbers, a host as an option,
#: something else.
#: What became of it afterwards, unchanged: bound to a name, stored as a plain attribute, as one of a Module by its constructor,
#: in a plain container, collected with others of its batch, passed, moved in vain, kept by an object with a name, met
#: where other runs have a number, left where it is by what moves batches of other forms. What uses the accelerator
#: before a process is forked, and in that process. What is made there, of what is read on the CPU.
#: What was no tensor where code that reads tensors on the CPU got it, and what may be none for all that is known. In what dtype arrays became tensors. What a module took over from a state.
#: A function that code outside was given, by the functions that it may call. What chooses a default device, and what is made on it.
ORIGIN_KINDS = (
    "factory",
    "random-factory",
    "loader",
    "array",
    "numpy",
    "move",
    "all-moved",
    "cast",
    "module",
    "tokenizer",
    "checkpoint",
    "host-checkpoint",
    "replaced",
    "parameter",
    "result",
    "inverted",
    "quotient",
    "part",
    "option",
    "other",
    "name",
    "attribute",
    "module-attribute",
    "item",
    "collected",
    "argument",
    "given",
    *DISCARDED,
    "holder",
    "sometimes",
    "left-tuple",
    "left-namedtuple",
    "left-list",
    "left-dict",
    "left-mapping",
    "left-dataclass",
    "left-part",
    "left-part-list",
    "left-part-tuple",
    "left-part-dict",
    "used-before",
    "used-in-process",
    "hosted",
    "sampled",
    "number",
    "unsure",
    "entered",
    "assigned",
    "called-back",
    "default",
    "by-default",
)
