"""Several parsers that decide together: of every span and every word, the mean of their scores.

Words are what they share. Each reads them with an encoder and a vocabulary of its own and scores all
labels of all spans; the best tree is looked for once, in the mean of these scores. It is slower than
all of its parsers together, and made to write trees that a single parser learns from.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bnaparser.errors import SettingsError
from bnaparser.network.averaging import normalised_weights
from bnaparser.network.ensemble_network import EnsembleNetwork
from bnaparser.parsing.parser import Parser


class Ensemble(Parser):
    """Loaded parsers that parse as one parser: ``Ensemble.load(["en", "runs/mine/model"])``.

    The parsers may have different labels and tags: a label that one does not have scores there as the
    worst label that it has. The temperature is the mean of theirs. Words have tags where all parsers
    predict tags. Words of raw text are found by the parsers that find words, together.

    Args:
        parsers: Two parsers or more for the same language.
        weights: The weight of each parser, positive numbers of any sum; by default equal weights.

    Raises:
        SettingsError: Weights are wrong, there is no second parser, a parser needs tags as input,
            or the parsers are not for one language.
    """

    def __init__(self, parsers: Sequence[Parser], weights: Sequence[float] | None = None):
        self.parsers, self._weights_option = list(parsers), weights
        self.weights = normalised_weights(len(parsers), weights, "an ensemble")
        for parser in parsers:
            if parser.reads_tags:
                raise SettingsError(
                    f"{parser.name} needs part-of-speech tags as input: leave this model out of the ensemble"
                )
        language = _same_language(parsers)
        network = EnsembleNetwork([parser.model for parser in parsers], self.weights)
        super().__init__(
            {language: network},
            min(parser.batch_tokens for parser in parsers),
            min(parser.max_words for parser in parsers),
        )
        self.threads = min((one.threads for one in parsers if one.threads), default=None)
        names = [parser.name for parser in parsers if parser.name is not None]
        self.name = ",".join(names) if len(names) == len(parsers) else None

    @classmethod
    def load(  # type: ignore[override]
        cls,
        names: Sequence[str | Path],
        weights: Sequence[float] | None = None,
        device: str | None = None,
        language: str | None = None,
    ) -> Ensemble:
        """Load an ensemble of models.

        Args:
            names: names or folders of the models.
            weights: weight of each model (default: equal weights).
            device: a PyTorch device (default: the first GPU, otherwise the CPU).
            language: language to parse, for models of several languages.

        Returns:
            The ensemble, which is a `Parser`.

        Raises:
            ModelError: a model does not exist or is damaged.
            SettingsError: a model does not know the language, or the weights are invalid.
        """
        if isinstance(names, str | Path):
            raise TypeError(
                f"names must be a list of names of models, such as ['en', 'en-small'], not {str(names)!r}"
            )
        normalised_weights(len(names), weights, "an ensemble")  # before models are loaded
        return cls([Parser.load(name, device, language=language) for name in names], weights)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.parsers, self._weights_option)


def _same_language(parsers: Sequence[Parser]) -> str:
    """Return the language that all parsers are for; SettingsError if there is no such one."""
    known = [parser.languages for parser in parsers]
    if len(known[0]) == 1 and all(languages == known[0] for languages in known):
        return known[0][0]
    differences = "; ".join(
        f"{one.name or 'a model in memory'} is for {', '.join(one.languages)}" for one in parsers
    )
    raise SettingsError(
        f"the models of an ensemble must share one language: {differences}; name the language, or leave out a"
        " model"
    )
