"""Options of parsing a sentence: number of trees, decoder, probabilities, constraints."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import index
from typing import Literal, SupportsFloat, TypedDict, get_args

from bnaparser.errors import check_flag, quoted
from bnaparser.parsing.named_constraints import Constraint, checked

Decoder = Literal["best", "expected", "sample"]
DECODERS: tuple[Decoder, ...] = get_args(Decoder)
"""How the tree is chosen: the one of the highest score; that of the most expected constituents
(minimum Bayes risk); drawn at random, each as often as it is probable."""

TEMPERATURES = (0.001, 1000.0)
"""The lowest temperature and the highest."""

MOST_TREES = 100_000
"""Trees of a sentence at most: they are all held in memory."""

PENALTY = 2.0
"""What each word that speaks against a constituent takes off its score, by default."""


class ParseKeywords(TypedDict, total=False):
    """The keywords of a `ParseOptions` that are the same for all sentences of a call."""

    n_best: int
    probabilities: bool
    decoder: Decoder
    temperature: float | None
    seed: int


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A sentence's dependency tree, which its constituents should fit.

    ``heads`` are one a word, from 1; 0 for a root. Of a constituent one word has its head outside, and
    only that word has dependents outside: each word more takes ``penalty`` off the score of a
    constituent there. Where ``punctuation`` is true, a word counts on neither side. Raises TypeError
    for heads that are no whole numbers.
    """

    heads: tuple[int, ...]
    punctuation: tuple[bool, ...] | None = None
    penalty: float = PENALTY

    def __post_init__(self) -> None:
        if any(isinstance(one, bool) or not hasattr(one, "__index__") for one in self.heads):
            raise TypeError(f"heads are {quoted(self.heads)}: give a whole number for each word")
        if isinstance(self.penalty, bool) or not isinstance(self.penalty, SupportsFloat):
            raise TypeError(f"penalty is {quoted(self.penalty)}: give a number")


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How a sentence is parsed.

    ``n_best``: number of trees, the best first; a sentence may have fewer. ``probabilities``:
    of each constituent and each tree. ``decoder``: which tree is the first, see `DECODERS`; with
    "sample", all of them are drawn, by a generator of that ``seed`` and the sentence's words.
    ``temperature`` divides scores before they become probabilities; None: the model's own. Raises
    ValueError if one is out of range.
    """

    n_best: int = 1
    probabilities: bool = False
    decoder: Decoder = "best"
    temperature: float | None = None
    seed: int = 0
    constraints: tuple[Constraint, ...] = ()
    dependencies: Dependencies | None = None
    problem: str | None = field(default=None, kw_only=True)
    """Why the sentence cannot be parsed with these options, where that is known beforehand."""

    def __post_init__(self) -> None:
        for name in ("n_best", "seed"):
            value = getattr(self, name)
            # NumPy's whole numbers are some, too.
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"{name} is {quoted(value)}: give a whole number")
            object.__setattr__(self, name, index(value))
        check_flag("probabilities", self.probabilities)
        if self.n_best < 1:
            raise ValueError(f"n_best is {self.n_best}: it must be at least 1")
        if self.n_best > MOST_TREES:
            raise ValueError(f"n_best is {self.n_best:,}: it must be at most {MOST_TREES:,}")
        if self.decoder not in DECODERS:
            raise ValueError(f"decoder is {quoted(self.decoder)}: use one of {', '.join(DECODERS)}")
        least, most = TEMPERATURES
        temperature: object = self.temperature
        if isinstance(temperature, bool) or not isinstance(temperature, int | float | None):
            if isinstance(temperature, bool) or not isinstance(temperature, SupportsFloat):
                raise TypeError(f"temperature is {quoted(temperature)}: give a number")
            object.__setattr__(self, "temperature", float(temperature))
        if self.temperature is not None and not least <= self.temperature <= most:
            raise ValueError(
                f"temperature is {self.temperature}: it must be from {least} to {most:,}"
            )
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}: it must be at least 0")

    @property
    def plain(self) -> bool:
        """Whether only the best tree is requested: then the best label of each span is enough."""
        return self == DEFAULT_OPTIONS

    def with_constraints(self, constraints: Sequence[Constraint] | str) -> ParseOptions:
        """Return these options with constraints, or with the reason why the constraints are wrong.

        Raises TypeError for what is no constraint.
        """
        if self.problem is not None:
            return self
        if isinstance(constraints, str):
            return replace(self, problem=constraints)
        return replace(self, constraints=checked(constraints)) if constraints else self

    def for_words(self, words: Sequence[str]) -> ParseOptions:
        """Return the options of a sentence of these words, whose seed is made of the seed and the words.

        So different sentences are drawn independently of each other, and what is drawn of a sentence
        depends neither on its batch nor on its place.
        """
        if self.decoder != "sample":
            return self
        seed_text = "\0".join([f"{self.seed:x}", *words]).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(seed_text, digest_size=16).digest()
        return replace(self, seed=int.from_bytes(digest, "little"))


def options_of_keywords(keywords: ParseKeywords) -> ParseOptions:
    """Return the options of a call's keywords. Raises TypeError for an unknown keyword."""
    for name in keywords:
        if name not in ParseKeywords.__annotations__:
            known = ", ".join(ParseKeywords.__annotations__)
            raise TypeError(f"there is no keyword {quoted(name)} here: the options are {known}")
    return ParseOptions(**keywords)


DEFAULT_OPTIONS = ParseOptions()
"""The best tree, and nothing else."""
