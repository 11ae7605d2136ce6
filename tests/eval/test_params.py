"""Parameter files: EVALB's reading of them, and what the shipped ones say."""

from __future__ import annotations

from io import BytesIO

import pytest

from bnaparser.eval.params import (
    PIECE,
    Params,
    c_integer,
    collins,
    cut_label,
    new,
    read_params,
)


def read(text: bytes, base: Params | None = None) -> tuple[Params, list[bytes]]:
    messages: list[bytes] = []
    return read_params(BytesIO(text), base or Params(), messages.append), messages


def test_defaults_are_those_of_the_program_without_a_file() -> None:
    assert read(b"") == (Params(), [])
    assert (Params().debug, Params().max_error, Params().cutoff) == (0, 10, 40)
    assert Params().labeled


def test_collins() -> None:
    params = collins()
    assert params.delete_labels == {b"TOP", b"-NONE-", b",", b":", b"``", b"''", b"."}
    assert params.delete_labels_for_length == {b"-NONE-"}
    assert params.equal_labels == {(b"ADVP", b"PRT"), (b"PRT", b"ADVP")}
    assert params.quote_labels == frozenset()
    assert (params.debug, params.max_error, params.cutoff, params.labeled) == (0, 10, 40, True)


def test_new_deletes_more_and_repairs_quotes() -> None:
    assert new().delete_labels == collins().delete_labels | {b"S1", b"?", b"!"}
    assert b"POS" in new().quote_labels


def test_files_add_up_and_the_last_number_wins() -> None:
    params, _ = read(b"DELETE_LABEL A\nMAX_ERROR 1\nMAX_ERROR 2\n", collins())
    assert params.delete_labels == collins().delete_labels | {b"A"}
    assert params.max_error == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"FOO bar  baz  \r\n", b"Unknown keyword (FOO bar  baz) in parameter file\n"),
        (b"  DEBUG 1\n", b"Unknown keyword (  DEBUG 1) in parameter file\n"),
        (b"debug 1\n", b"Unknown keyword (debug 1) in parameter file\n"),
        (b"EQ_LABEL A\n", b"EQ_LABEL requires two values\n"),
        (b"EQ_WORD a b c\n", b"EQ_WORD requires two values\n"),
        (b"\nDEBUG  \n", b"Empty value in parameter file (2)\n"),
    ],
)
def test_unusable_lines_are_skipped_with_a_message(text: bytes, message: bytes) -> None:
    assert read(text) == (Params(), [message])


@pytest.mark.parametrize(
    "text", [b"#DEBUG 1\n", b"X\n", b"AB\r\n", b"\n", b"   \n", b"\0DEBUG 1\n"]
)
def test_comments_and_very_short_lines_are_skipped_in_silence(text: bytes) -> None:
    assert read(text) == (Params(), [])


def test_a_long_line_goes_on_as_a_new_line() -> None:
    assert read(b"#" * PIECE + b"DEBUG 1\n")[0].debug == 1


def test_a_value_with_a_blank_is_one_label() -> None:
    assert read(b"DELETE_LABEL A B\n")[0].delete_labels == {b"A B"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"12", 12),
        (b" \t-3x", -3),
        (b"+4", 4),
        (b"abc", 0),
        (b"", 0),
        (b"- 5", 0),
        (b"2147483648", -(2**31)),
        (b"9" * 5000, -1),
        (b"0" * 5000 + b"7", 7),
    ],
)
def test_numbers_are_read_as_c_does(text: bytes, number: int) -> None:
    assert c_integer(text) == number


@pytest.mark.parametrize(
    ("label", "cut"),
    [
        (b"NP-SBJ", b"NP"),
        (b"NP=2", b"NP"),
        (b"-NONE-", b""),
        (b"PRT|ADVP", b"PRT|ADVP"),
        (b"", b""),
    ],
)
def test_labels_are_cut_at_the_first_hyphen_or_equals_sign(label: bytes, cut: bytes) -> None:
    assert cut_label(label) == cut


def test_deleting_a_label_deletes_its_equals() -> None:
    params, _ = read(b"DELETE_LABEL ADVP\nEQ_LABEL ADVP PRT\n")
    assert params.deletes_bracket(b"PRT")
    assert not params.deletes_bracket(b"NP")


def test_label_classes_exist_only_for_transitive_pairs() -> None:
    assert read(b"EQ_LABEL A B\nEQ_LABEL C D\n")[0].label_classes() == {
        b"A": b"A",
        b"B": b"A",
        b"C": b"C",
        b"D": b"C",
    }
    assert read(b"EQ_LABEL A B\nEQ_LABEL B C\n")[0].label_classes() is None
    triangle = b"EQ_LABEL A B\nEQ_LABEL B C\nEQ_LABEL C A\n"
    assert set((read(triangle)[0].label_classes() or {}).values()) == {b"A"}
