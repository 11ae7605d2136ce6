"""Words of trees as a network takes them: read as a parser reads them, in the language that they are in."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.network.language_view import in_one_language
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.prepared import PreparedSentence
from bnaparser.text.detokenize import as_typed
from bnaparser.text.sentence import from_words
from bnaparser.text.text_rules import TextRules, known_as, rules_of


def reader_of(network: ParsingNetwork, language: str) -> tuple[ParsingNetwork, TextRules] | None:
    """Return a network as it parses a language, and how that is read; None where it does not know it."""
    known = known_as(language, network.settings.text.languages)
    if known is None:
        return None
    view = in_one_language(network, known) if network.by_language else network
    return view, rules_of(known)


def prepare_words(
    network: ParsingNetwork,
    rules: TextRules,
    sentences: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]] | None = None,
) -> list[PreparedSentence]:
    """Return sentences as a network takes them, with tags for one that reads some."""
    joined = network.settings.encoder.detokenize
    if joined is None:
        cased = network.reads_case
        return network.prepare([rules.as_read(words, cased) for words in sentences], tags)
    return network.prepare([as_typed(from_words(words), joined) for words in sentences], tags)
