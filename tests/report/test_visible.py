"""Does a name that holds commands for a reader turn anything around, on paper or on a page?"""

from __future__ import annotations

import steelyard as sy

TURNING = "\u202egnp.exe"


def test_a_name_that_turns_text_around_is_shown_with_its_number() -> None:
    result = sy.evaluate([[8, 2], [1, 9]], labels=[TURNING, "ok"])
    for written in (result.to_markdown(), result._repr_html_()):
        assert "\\x202egnp.exe" in written
        assert TURNING not in written


def test_names_in_arabic_and_hebrew_stay_as_they_are() -> None:
    result = sy.evaluate([[8, 2], [1, 9]], labels=["احتيال", "תקין"])
    for written in (result.to_markdown(), result.to_html()):
        assert "احتيال" in written
        assert "תקין" in written
