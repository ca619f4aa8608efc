"""Moves at one place stand on one line, where the line has room for them."""

from __future__ import annotations

from devfix.findings import Edit, InsertAfter, InsertAtBodyStart, Span
from devfix.joined_moves import joined

HERE, THERE = Span(1, 0, 3, 9), Span(5, 0, 6, 9)


def test_moves_at_one_place_are_one_line_in_the_order_of_the_names() -> None:
    edits = [InsertAtBodyStart(HERE, "y = y.to(device)", 7), InsertAtBodyStart(HERE, "x = x.to(device)", 4)]
    assert joined(edits) == [InsertAtBodyStart(HERE, "x, y = x.to(device), y.to(device)", 4)]


def test_lines_of_one_edit_are_joined_too() -> None:
    edits = [InsertAfter(HERE, "x = x.cuda()\ny = y.cuda()")]
    assert joined(edits) == [InsertAfter(HERE, "x, y = x.cuda(), y.cuda()")]


def test_other_places_other_devices_and_other_statements_stay_apart() -> None:
    edits: list[Edit] = [
        InsertAtBodyStart(HERE, "x = x.to(device)"),
        InsertAtBodyStart(THERE, "y = y.to(device)"),
        InsertAfter(HERE, "z = z.to(device)"),
        InsertAtBodyStart(HERE, "w = w.to(x.device)"),
        InsertAtBodyStart(HERE, "v = u.to(device)"),
        InsertAtBodyStart(HERE, "t = t.to(device).float()"),
    ]
    assert joined(edits) == edits


def test_what_does_not_fit_on_a_line_stays_on_several() -> None:
    names = [f"a_rather_long_name_of_a_tensor_{number}" for number in range(3)]
    edits = [InsertAtBodyStart(HERE, f"{name} = {name}.to(device)") for name in names]
    assert joined(edits) == edits
