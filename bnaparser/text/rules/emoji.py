"""Emoji of several characters, as regular expressions: they are one piece of a text."""

from __future__ import annotations

from bnaparser.text.english.token_rules import BLANK

# A flag is two letters of its own, a key a digit in a frame.
WHOLE_EMOJI = r"[\U0001f1e6-\U0001f1ff]{2}|[0-9#*]\ufe0f?\u20e3"
# Behind a first character: how it is shown, the colour of skin, and what is joined to it.
EMOJI_GOES_ON = rf"[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff]|\u200d(?:[^{BLANK}\w])?"
