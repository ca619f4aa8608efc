"""``torch.einsum``: a product of matrices where it sums over a shared letter, else one element by element."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("'m,d->md', d[0], x[0]", False),
        ("'bi,bj->bij', d, x", False),
        ("'bi,bi->bi', d, x", False),
        ("'ij,k->k', d, x[0]", False),
        ("'bi,bi->b', d, x", True),
        ("'bi,bj', d, x", True),
        ("'i , j -> i j', d[0], x[0]", False),
        ("'...i,i->...', d, x[0]", True),
        ("equation, d, x", False),
        ("'ab,bc,c->abc', x, x, d[0]", False),
        ("'ab,ca,b->ca', x, x, d[0]", True),
    ],
)
def test_dtypes_are_promoted_where_nothing_shared_is_summed(call: str, found: bool) -> None:
    text = f"""
    import torch
    equation = open("equation").read()
    x, d = torch.rand(2, 2), torch.rand(2, 2, dtype=torch.float64)
    torch.einsum({call})
    """
    assert clashes(text) == (["5: dtype"] if found else [])


def test_a_mask_of_one_column_may_be_of_integers() -> None:
    text = """
    import torch
    mask = torch.ones(2, 5, 1, dtype=torch.int64)
    torch.einsum("bok,bxk->box", torch.rand(2, 3, 1), mask)
    """
    assert clashes(text) == []
    assert lies(text) == []


def test_results_have_the_promoted_dtype() -> None:
    assert (
        lies(
            """
            import torch
            i, x, d = torch.arange(4), torch.rand(3), torch.rand(3, dtype=torch.float64)
            a = torch.einsum("m,d->md", i, x)
            b = torch.einsum("m,d->md", x, d)
            c = torch.einsum("m,m->", x, x)
            e = torch.einsum("i,i->i", [x, d])
            """
        )
        == []
    )


def test_operands_meet_whatever_is_summed() -> None:
    text = """
    import torch
    torch.einsum("m,d->md", torch.rand(3).cuda(), torch.rand(4))
    """
    assert clashes(text) == ["3: device"]
