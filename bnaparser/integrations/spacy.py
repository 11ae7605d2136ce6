"""``nlp.add_pipe("bnaparser")``: constituents for spaCy's documents; the entry point ``spacy_factories``.

    nlp = spacy.load("en_core_web_sm")
    nlp.add_pipe("bnaparser", config={"model": "en"})
    sentence = next(nlp("The time for action is now.").sents)
    sentence._.parse_string, sentence._.labels, list(sentence._.children)

Tokens and sentences stay the pipeline's own; `bnaparser.integrations.spacy_spans` says what a span
has then.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bnaparser import models
from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import BnaparserError, DataError, ModelError, check_flag, import_extra
from bnaparser.integrations.spaced_words import spaced_sentence
from bnaparser.integrations.spacy_spans import SpacyConstituents, install, keep
from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import Sentence
from bnaparser.trees.tree import Span

Language = import_extra("spacy", "spacy.language").Language

__all__ = ["Language", "SpacyComponent", "create_component", "sentences"]

log = logging.getLogger(__name__)

# What benepar's models are given to read of tokens that are such a sign.
_SIGNS = {**dict.fromkeys("«»“”„", '"'), **dict.fromkeys("`‹›‘’", "'"), "—": "--"}  # noqa: RUF001

# Where a pipeline that is saved keeps a model that does not ship; of several models, the list of their names.
MODEL, MODELS = "model", "models.json"
_SAVED = re.compile(r"model(-\d+)?(\.\w+)?|models\.json")
ErrorHandler = Callable[[str, Any, list[Any], Exception], None]


class SpacyComponent:
    """Component of a spaCy pipeline that parses the sentences of earlier components.

    A sentence that cannot be parsed is logged, and ``span._.error`` has the reason. A document without sentence boundaries is a
    DataError. If the model does not exist, ``nlp.add_pipe`` raises ModelError, and so does a call of a component that was made
    without its model.

    Args:
        model: name or folder, as for `Parser.load`.
        device: as for `Parser.load`.
        batch_tokens: as for `Parser.load`.
        write_tags: write the parser's part-of-speech tags to ``token.tag_``, if the model predicts tags.
        name: name of the component in the pipeline.
        probabilities: compute probabilities: ``span._.probability``, ``span._.confidence``, ``doc._.confidence``.
    """

    def __init__(
        self,
        model: str | Path = "en",
        device: str | None = None,
        batch_tokens: int | None = None,
        write_tags: bool = False,
        name: str = "bnaparser",
        probabilities: bool = False,
    ):
        check_flag("write_tags", write_tags)
        self.name, self.model, self.write_tags = name, str(model), write_tags
        self._parse_options = ParseOptions(probabilities=probabilities)
        self._given = device, batch_tokens
        self._parser: Parser | ModelError
        self._load(model)
        self._handle: ErrorHandler = _raise

    def _load(self, model: str | Path) -> None:
        try:
            self._parser = Parser.load(model, *self._given)
        except ModelError as error:
            # A pipeline from another machine brings its model along: from_disk comes after this.
            self._parser = error

    @property
    def parser(self) -> Parser:
        """The parser that is at work; ModelError if there is no such model."""
        if isinstance(self._parser, ModelError):
            raise self._parser
        return self._parser

    def __call__(self, doc: Any) -> Any:
        """Parse a document, and return it."""
        self._parse([(doc, sentences(doc))])
        return doc

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 1000) -> Iterator[Any]:
        """Parse documents, in order; batches are filled across them, ``batch_size`` at most at once."""
        ahead: list[tuple[Any, list[list[Any]]]] = []
        source = iter(stream)
        while True:
            try:
                doc = next(source)
            except StopIteration:
                break
            except Exception:
                yield from self._parsed(ahead)  # what was read before the stream's error
                raise
            try:
                ahead.append((doc, sentences(doc)))
            except DataError as error:
                self._handle(self.name, self, [doc], error)
            if len(ahead) >= batch_size or sum(len(of) for _, of in ahead) >= READ_AHEAD:
                yield from self._parsed(ahead)
                ahead = []
        yield from self._parsed(ahead)

    def set_error_handler(self, handler: ErrorHandler) -> None:
        """Have ``handler(name, component, documents, error)`` called for what cannot be parsed."""
        self._handle = handler

    def get_error_handler(self) -> ErrorHandler:
        """Return the function that is called for documents that cannot be parsed. By default it
        raises the error.
        """
        return self._handle

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the models beside the pipeline, so that it can go elsewhere; none that ships.

        A model that a pipeline saved there before had is taken away.
        """
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        shipped = models.shipped()
        names = [self.model]
        if self.model not in shipped:
            names = models.model_names(self.parser.name or self.model)
        found = [None if name in shipped else models.find(name) for name in names]
        sources = [source for source in found if source is not None]
        saved = _files_of_models(folder)
        if sources and all(any(map(source.samefile, saved)) for source in sources):
            return  # the pipeline is saved where it is from
        for other in saved:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
        if not sources:
            return
        for number, source in enumerate(found):
            if source is None:
                continue
            stem = MODEL if len(found) == 1 else f"{MODEL}-{number + 1}"
            names[number] = stem if source.is_dir() else stem + source.suffix
            if source.is_dir():
                shutil.copytree(source, folder / names[number])
            else:
                shutil.copy(source, folder / names[number])
        if len(names) > 1:
            (folder / MODELS).write_text(json.dumps(names), encoding="utf-8")

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> SpacyComponent:
        """Take the model that was written, if any."""
        folder = Path(path)
        names = [one.name for one in _files_of_models(folder) if one.name != MODELS]
        if (folder / MODELS).is_file():  # in their order, those that ship among them
            names = json.loads((folder / MODELS).read_text(encoding="utf-8"))
        if names:
            paths = [folder / name for name in names]
            known = [str(one) if one.exists() else one.name for one in paths]
            self.model = ",".join(known)
            self._load(self.model)
        return self

    def _parsed(self, ahead: list[tuple[Any, list[list[Any]]]]) -> Iterator[Any]:
        docs = [doc for doc, _ in ahead]
        try:
            self._parse(ahead)
        except BnaparserError as error:
            self._handle(self.name, self, docs, error)
            return
        yield from docs

    def _parse(self, ahead: Sequence[tuple[Any, list[list[Any]]]]) -> None:
        rows = [tokens for _, of_doc in ahead for tokens in of_doc]
        signs = _SIGNS if self.parser.model.settings.encoder.detokenize else {}
        given = [_sentence(tokens, signs) for tokens in rows]
        parses = iter(self.parser.parse_sentences(given, options=self._parse_options))
        for doc, of_doc in ahead:
            found = [(tokens, next(parses)) for tokens in of_doc]
            keep(doc, _constituents(doc, found))
            if self.write_tags and self.parser.predicts_tags:
                _write_tags(found)


def _files_of_models(folder: Path) -> list[Path]:
    """Return what a pipeline that was saved there brought along: models' folders or zips, and their list."""
    return [one for one in sorted(folder.glob(MODEL + "*")) if _SAVED.fullmatch(one.name)]


def sentences(doc: Any) -> list[list[Any]]:
    """Return the tokens of each sentence; DataError if the pipeline has found no sentences."""
    if not doc.has_annotation("SENT_START"):
        raise DataError(
            "this document has no sentence boundaries: put a parser, 'senter' or 'sentencizer'"
            f" before bnaparser in the pipeline ({doc.text!r:.40})"
        )
    return [list(sentence) for sentence in doc.sents]


def _words(tokens: Iterable[Any]) -> list[Any]:
    """Leave out the tokens that are blanks."""
    return [token for token in tokens if not token.is_space]


def _sentence(tokens: Sequence[Any], signs: Mapping[str, str]) -> Sentence:
    return spaced_sentence(
        (signs.get(token.text, token.text), bool(token.whitespace_)) for token in _words(tokens)
    )


def _constituents(doc: Any, parses: Iterable[tuple[Sequence[Any], Parse]]) -> SpacyConstituents:
    found: list[Span] = []
    tags = [""] * len(doc)
    failed = []
    for tokens, parse in parses:
        first, behind = tokens[0].i, tokens[-1].i + 1
        if not parse.words:  # blanks only
            found.append(Span(first, behind, ""))
            continue
        if parse.error is not None:
            log.warning("%s: %.80r", parse.error, parse.text)
            failed.append((first, behind, parse.error))
            continue
        places = [token.i for token in _words(tokens)]
        for place, tag in zip(places, parse.tags, strict=True):
            tags[place] = tag
        found.extend(_of_tokens(parse.spans, places, first, behind))
    return SpacyConstituents(
        np.array([span.start for span in found], np.int32),
        np.array([span.end for span in found], np.int32),
        [span.label for span in found],
        np.array([_or_nan(span.probability) for span in found], np.float32),
        tags,
        failed,
        len(doc),
    )


def _of_tokens(
    spans: Sequence[Span], places: Sequence[int], first: int, behind: int
) -> Iterator[Span]:
    """Yield spans of words as spans of tokens, in pre-order, with the sentence and all words.

    ``places`` are the words' tokens. The sentence has the blanks before and after its words, too.
    """
    moved = {}
    for span in spans:
        whole = span.start == 0 and span.end == len(places)
        start = first if whole else places[span.start]
        end = behind if whole else places[span.end - 1] + 1
        moved[start, end] = span._replace(start=start, end=end)
    for start, end in [(first, behind), *((place, place + 1) for place in places)]:
        moved.setdefault((start, end), Span(start, end, ""))
    for key in sorted(moved, key=lambda key: (key[0], -key[1])):
        yield moved[key]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _write_tags(found: Iterable[tuple[Sequence[Any], Parse]]) -> None:
    for tokens, parse in found:
        if parse.error is None:
            for token, tag in zip(_words(tokens), parse.tags, strict=True):
                token.tag_ = tag


def _raise(name: str, component: Any, docs: list[Any], error: Exception) -> None:
    raise error


def create_component(
    nlp: Any,
    name: str,
    model: str,
    device: str | None,
    batch_tokens: int | None,
    write_tags: bool,
    probabilities: bool,
) -> SpacyComponent:
    """Make the component; spaCy calls this, with the values of ``nlp.add_pipe(..., config=...)``."""
    component = SpacyComponent(model, device, batch_tokens, write_tags, name, probabilities)
    if name not in nlp._meta.get("pipeline", ()):  # else from_disk follows, which brings the model
        _ = component.parser  # ModelError if there is no such model
    return component


Language.factory(
    "bnaparser",
    default_config={
        "model": "en",
        "device": None,
        "batch_tokens": None,
        "write_tags": False,
        "probabilities": False,
    },
    requires=["token.is_sent_start"],
    assigns=["span._.labels", "span._.parse_string", "span._.parent", "span._.probability"],
    func=create_component,
)
install()
