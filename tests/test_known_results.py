"""What a function that is not followed any more gives: what it gave before, and its own argument where it gave that."""

from __future__ import annotations

from devfix.analysis.accounts import Account
from devfix.analysis.domain.values import Const, Ref


def test_a_function_that_gave_what_it_was_given_does_so_again() -> None:
    account = Account()
    account.keep((Ref(1), Ref(2), Const(True)), Ref(2))
    assert account.known((Ref(1), Ref(5), Const(True))) == Ref(5)
    assert account.known((Ref(1), Ref(2), Const(True))) == Ref(2)


def test_an_object_of_its_own_is_given_again() -> None:
    account = Account()
    account.keep((Ref(1), Ref(2)), Ref(9))
    assert account.known((Ref(1), Ref(5))) == Ref(9)
    assert account.known((Const("other"), Ref(5))) is None
