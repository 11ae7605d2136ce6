"""Inventories: a fixed order, the empty label first, unknown names."""

from __future__ import annotations

import pytest

from bnaparser.network.labels import Inventory


def test_labels_are_sorted_after_the_empty_one() -> None:
    labels = Inventory.of_labels(["VP", "S::VP", "NP", "NP", ""])
    assert labels.names == ("", "NP", "S::VP", "VP")
    assert [labels.number(name) for name in labels.names] == [0, 1, 2, 3]
    assert len(labels) == 4


def test_tags_are_sorted_and_have_no_empty_one() -> None:
    assert Inventory.of_tags(iter(["NN", "DT", "NN"])).names == ("DT", "NN")
    assert Inventory.of_labels([]).names == ("",)


def test_the_order_of_what_was_seen_does_not_matter() -> None:
    assert Inventory.of_labels({"A", "B"}).names == Inventory.of_labels(["B", "A", "B"]).names


def test_an_unknown_name_is_the_default_or_an_error() -> None:
    labels = Inventory(["", "NP"])
    assert "NP" in labels
    assert "VP" not in labels
    assert labels.number("VP", -1) == -1
    assert labels.number("NP", -1) == 1
    with pytest.raises(KeyError):
        labels.number("VP")


def test_a_name_may_not_stand_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        Inventory(["", "NP", "NP"])
