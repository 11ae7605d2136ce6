"""What a pattern says of one node: its label, a name, a node named before, what is captured."""

from __future__ import annotations

import re
from typing import Literal

from bnaparser.trees.search.conditions import WantedNode
from bnaparser.trees.search.descriptions import ANYTHING, Description
from bnaparser.trees.search.pattern_tokens import PatternSigns


class NodeReader:
    """Reads nodes; knows which names were given so far, and how many negations are open."""

    def __init__(self, signs: PatternSigns):
        self.signs = signs
        self.names: set[str] = set()
        self.descriptions: list[Description] = []  # all that were read
        self.negations = 0

    def description(self) -> WantedNode:
        """What a node must be, and its name."""
        start = self.signs.next
        if start.text in ("=", "~"):
            return self._reference()
        description = self.label()
        captures = []
        while self.signs.take("#"):
            captures.append(self._capture(description))
        name = self._new_name() if self.signs.take("=") else None
        return WantedNode(description, name, captures=captures)

    def label(self) -> Description:
        """!@literal|literal, /regex/ or __."""
        found = self._label()
        self.descriptions.append(found)
        return found

    def _label(self) -> Description:
        negated, basic = self.signs.take("!"), self.signs.take("@")
        if (literal := self.signs.take_kind("literal")) is not None:
            return Description(tuple(literal.text.split("|")), None, basic, negated)
        regex = self.signs.take_kind("regex")
        if regex is None:
            self.signs.fail("a node is wanted here: a label, /a regular expression/ or __")
        try:
            compiled = re.compile(regex.text[1:-1], re.ASCII)
        except (re.error, OverflowError, RecursionError) as error:
            place = regex.place + 1 + (getattr(error, "pos", None) or 0)
            self.signs.fail(
                f"the regular expression is wrong: {getattr(error, 'msg', error)}", place
            )
        if regex.text in ("/.*/", "/^.*$/"):
            return Description((ANYTHING,), None, basic, negated)
        return Description((), compiled, basic, negated)

    def _reference(self) -> WantedNode:
        """=name or ~name: a node that was named before."""
        sign = self.signs.next
        self.signs.place += 1
        kind: Literal["=", "~"] = "=" if sign.text == "=" else "~"
        known = self.signs.take_kind("literal")
        if known is None:
            self.signs.fail(f"a name is wanted after {kind}")
        if known.text not in self.names:
            self.signs.fail(f"no node before this one has the name {known.text}", known.place)
        name = self._new_name() if kind == "~" and self.signs.take("=") else None
        return WantedNode(Description((ANYTHING,)), name, (kind, known.text))

    def _new_name(self) -> str:
        name = self.signs.take_kind("literal")
        if name is None:
            self.signs.fail("a name is wanted after =, of letters")
        if self.negations:
            self.signs.fail("a node below a negation has no name: it is never found", name.place)
        if name.text in self.names:
            self.signs.fail(
                f"the name {name.text} is given twice: write ={name.text} alone", name.place
            )
        self.names.add(name.text)
        return name.text

    def _capture(self, description: Description) -> tuple[int, str]:
        """#number%name: what a group of the regular expression finds gets a name."""
        number = self.signs.take_kind("number")
        if number is None or not number.text.isdigit():
            self.signs.fail("the number of a group is wanted after #")
        groups = 0 if description.regex is None else description.regex.groups
        if description.regex is not None and int(number.text) > groups:
            self.signs.fail(f"the regular expression has {groups} groups", number.place)
        if description.negated:
            self.signs.fail("what does not match has no groups", number.place)
        self.signs.need("%")
        name = self.signs.take_kind("literal")
        if name is None:
            self.signs.fail("a name is wanted after %")
        return int(number.text), name.text
