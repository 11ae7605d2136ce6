"""NLTK's protocol of parsers, ``nltk.parse.ParserI``, on a `Parser`; trees are NLTK's.

    parser = NltkParser("en")
    parser.parse_one(["It", "rained", "."]).pretty_print()

`bnaparser.Tree.to_nltk` and `bnaparser.Tree.from_nltk` turn one kind of tree into the other.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from nltk.parse import ParserI

from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.files.ahead import read_ahead
from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import not_one_string

log = logging.getLogger(__name__)


class NltkParser(ParserI):  # type: ignore[misc]  # NLTK has no types
    """A parser with NLTK's interface. ``parser`` is a `Parser`, or the name or folder of a model.

    ``n_best`` trees are given of each sentence, best first, or as many as it has. As NLTK says it, a
    sentence that cannot be parsed has no trees; the reason is logged. The top
    node is TOP, and ``parse_one`` returns None if there is no tree. Raises ValueError for an ``n_best``
    below 1.
    """

    def __init__(self, parser: Parser | str | Path = "en", n_best: int = 1):
        self.n_best = ParseOptions(n_best).n_best
        self.parser = parser if isinstance(parser, Parser) else Parser.load(parser)

    def parse(self, sent: Iterable[str]) -> Iterator[Any]:
        """Parse a sentence of tokens.

        Args:
            sent: the words.

        Returns:
            An iterator of ``nltk.Tree``, best first; empty if the sentence cannot be parsed.

        Example:
            >>> from bnaparser.integrations.nltk import NltkParser
            >>> print(next(NltkParser("en").parse(["Dogs", "bark", "."])))
            (TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))
        """
        return _trees(self.parser.parse_words(sent, n_best=self.n_best))

    def parse_sents(self, sents: Iterable[Iterable[str]]) -> Iterator[Iterator[Any]]:
        """Parse sentences of tokens, in batches.

        Args:
            sents: the words of each sentence.

        Yields:
            The iterator of `parse` for each sentence, in order.

        Example:
            >>> from bnaparser.integrations.nltk import NltkParser
            >>> parser = NltkParser("en")
            >>> [len(list(trees)) for trees in parser.parse_sents([["Go", "!"], ["Dogs", "bark", "."]])]
            [1, 1]
        """
        source = iter(not_one_string(sents, "sentences, each a list of words"))
        for ahead in read_ahead(source, READ_AHEAD):
            yield from map(_trees, self.parser.parse_many(ahead, n_best=self.n_best))

    def grammar(self) -> Any:
        """Raise NotImplementedError: there is no grammar.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "NltkParser.grammar: this parser scores spans with a neural network and has no grammar"
        )


def _trees(parse: Parse) -> Iterator[Any]:
    if parse.tree is None:
        log.warning("%s: %.80r", parse.error, parse.text)
        return iter(())
    return (one.tree.to_nltk() for one in (parse, *parse.alternatives) if one.tree is not None)
