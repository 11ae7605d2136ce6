"""What a line of a text is: the four answers, from which whoever gives the text chooses."""

from __future__ import annotations

from typing import Literal, get_args

Split = Literal["paragraph", "text", "line", "token"]
"""``paragraph``, the default: the end of a line ends a sentence, and sentences are found within it;
``text``: the line is a piece of hard-wrapped running text, whose sentences go on in the next;
``line``: it is one sentence, whatever is in it; ``token``: that, and its words stand between blanks."""

SPLITS: tuple[Split, ...] = get_args(Split)
