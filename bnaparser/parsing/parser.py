"""The parser that users hold: text or words in, trees out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, overload

from bnaparser import models
from bnaparser.compute.cores import usable_threads
from bnaparser.encoders.batching import PARSING_TOKENS, READ_AHEAD, default_tokens
from bnaparser.errors import SettingsError, check_flag, type_name
from bnaparser.files.ahead import read_ahead
from bnaparser.network.decoding import Prediction, predict_batch, predicted_tags
from bnaparser.network.ensemble_network import prepare_parts
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import Backend, Precision, load_network
from bnaparser.network.prepared import PreparedSentence
from bnaparser.parsing.batches import (
    ParsingLimits,
    SentenceRequest,
    on_one_thread,
    parse_each,
    zip_requests,
)
from bnaparser.parsing.decoding import answers, chart_of
from bnaparser.parsing.markup import under_constraints
from bnaparser.parsing.named_constraints import Constraint, in_words
from bnaparser.parsing.options import (
    DEFAULT_OPTIONS,
    ParseKeywords,
    ParseOptions,
    options_of_keywords,
)
from bnaparser.parsing.result import Parse, Parses
from bnaparser.parsing.segmentation import check_finds_words, unknown_language, with_words
from bnaparser.parsing.validation import (
    check_at_least_1,
    check_language,
    check_name,
    check_sentences,
    check_text,
    device_name,
    each_labelled_text,
    each_pair,
    each_sentence,
    each_text,
    sentence_of,
)
from bnaparser.text.detokenize import detokenize
from bnaparser.text.sentence import MAX_WORDS, Sentence, Split
from bnaparser.text.splitting import read_sentences, split_stream
from bnaparser.text.text_rules import (
    TextRules,
    detect_language_or_first,
    match_language,
    rules_for,
    rules_of,
)

if TYPE_CHECKING:
    import torch

Context = TypeVar("Context")
Item = TypeVar("Item")

NO_TEXT = "the text is missing"
_MANY = "parser.pipe takes many texts, parser.parse_words the words of a sentence"

__all__ = ["MAX_WORDS", "Parse", "Parser", "Parses"]


class Parser:
    """Parse text or words into constituency trees, in one language or several.

    A sentence that cannot be parsed gives a Parse with ``error`` set, in its place; the other sentences are parsed.
    ``languages`` are the languages of the parser, and ``networks`` has the network of each. With several
    languages, the language of each sentence is detected from its words; if they do not tell, it is the first language. A
    sentence in another language gets an ``error``.

    A Parser may be used from one thread at a time. A forked process may use the parser of its parent, and computes with
    one thread. Pickling stores only the arguments of `load`; unpickling loads the model again.

    Args:
        model: a loaded network, which is seen as one network for each of its languages; or the network
            of each language.
        batch_tokens: maximum number of subwords in a batch (default: 500 on a CPU, 16,384 on a GPU).
        max_words: maximum number of words in a sentence.

    Raises:
        SettingsError: there is no network.

    Example:
        >>> from bnaparser import Parser
        >>> parser = Parser.load("en")
        >>> print(parser("It rained.")[0].tree)
        (TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))
    """

    def __init__(
        self,
        model: ParsingNetwork | Mapping[str, ParsingNetwork],
        batch_tokens: int | None = None,
        max_words: int = MAX_WORDS,
    ):
        networks = model if isinstance(model, Mapping) else {"": model}
        if not networks:
            raise SettingsError("a parser needs a network for at least one language")
        for network in networks.values():
            if not hasattr(network, "best_labels"):
                raise TypeError(
                    f"give a loaded model, not {type_name(network)}: Parser.load takes a name or a"
                    ' folder, as in Parser.load("en")'
                )
        if not isinstance(model, Mapping):
            networks = _by_language(model)
        check_at_least_1("batch_tokens", batch_tokens)
        check_at_least_1("max_words", max_words)
        for network in networks.values():
            network.eval()
        self.networks = dict(networks)
        self.languages = tuple(self.networks)
        # Of one language, its network; else the network of all languages, or that of the first.
        self.model = self.networks[self.languages[0]]
        if not isinstance(model, Mapping) and len(networks) > 1:
            self.model = model
        self.cased = any(network.reads_case for network in self.networks.values())
        self.text = rules_for(self.languages)  # how text becomes sentences
        self.batch_tokens = batch_tokens or default_tokens(PARSING_TOKENS, str(self.model.device))
        self.max_words = max_words  # of a sentence; one with more gets an error
        self.threads: int | None = None  # that compute at most; by default what PyTorch would take
        self.name: str | None = (
            None  # what it was loaded by; several names with commas between them
        )
        self.language: str | None = None  # the one language, where the model has others
        self._names: dict[str, str] = {}  # of the model of each language
        self._requested_precision: Precision = "auto"  # the precision, when it was loaded
        self._requested_device: str | None = None
        self._requested_backend: Backend = "auto"

    @property
    def predicts_tags(self) -> bool:
        """Whether all models predict tags. A model that does not predict tags names every tag XX,
        unless tags are given.
        """
        return all(network.settings.tags.predict for network in self.networks.values())

    @property
    def labels(self) -> frozenset[str]:
        """The constituent labels of the parser, including chains."""
        found = (labels_of(language, network) for language, network in self.networks.items())
        return frozenset().union(*found) - {""}

    @property
    def precision(self) -> str:
        """The numbers that it computes in: "float32", "bfloat16" or "int8"."""
        return self.model.precision

    @property
    def backend(self) -> str:
        """What computes: "compiled" loops or "torch"."""
        return self.model.backend

    @property
    def reads_tags(self) -> bool:
        """Whether a model takes part-of-speech tags as input: a sentence without tags then gets an
        ``error``.
        """
        return any(network.settings.tags.given for network in self.networks.values())

    @classmethod
    def load(
        cls,
        model: str | Path | Sequence[str | Path] = "en",
        device: str | torch.device | None = None,
        batch_tokens: int | None = None,
        precision: Precision = "auto",
        max_words: int = MAX_WORDS,
        language: str | None = None,
        backend: Backend = "auto",
    ) -> Parser:
        """Load one model or several.

        Args:
            model: name of a shipped or installed model, folder, zip file, or ``org/name`` of a model hub; models
                of benepar 0.2 can be loaded, too. Several models for different languages are a list, or names
                with commas between them: ``"en,multi"``.
            device: a PyTorch device, such as "cpu" or "cuda:0" (default: the first GPU, otherwise the CPU).
            batch_tokens: maximum number of subwords in a batch (default: 500 on a CPU, 16,384 on a GPU).
            precision: "float32", "bfloat16", "int8" (CPU only) or "auto". "auto" means int8 on a CPU if the weights
                are stored in int8, bfloat16 on a GPU that supports it, otherwise float32.
            max_words: maximum number of words in a sentence; a longer sentence gets an ``error``.
            language: the only language to parse, for models of several languages (default: the language of
                each sentence is detected).
            backend: "compiled" (loops on the CPU), "torch" (PyTorch) or "auto" (the faster one that is
                installed and supports the model).

        Returns:
            A parser for the languages of all models.

        Raises:
            ModelError: the model or the device does not exist, the model is damaged, or the device does not
                support the precision.
            MissingExtraError: PyTorch is needed and not installed.
            SettingsError: no model knows the language, or two models have the same language.

        Example:
            >>> from bnaparser import Parser
            >>> Parser.load("en-free", device="cpu", batch_tokens=200).languages
            ('en',)
        """
        each: list[Any] = list(model) if isinstance(model, list | tuple) else [model]
        if isinstance(model, str):
            each = models.model_names(model)
        for name in each:
            check_name(name, 'Parser.load("en")')
        requested_device = device_name(device)
        networks: dict[str, ParsingNetwork] = {}
        lasting: dict[str, str] = {}
        for name in each:
            folder = models.find(name)
            network = load_network(folder, requested_device, precision, backend)
            name = models.resolvable_name(name, folder)
            for code, one in _by_language(network).items():
                if code in networks:
                    raise SettingsError(
                        f"two models are for the language {code!r}: {lasting[code]} and {name}: give one"
                    )
                networks[code], lasting[code] = one, name
        parser = cls(network if len(each) == 1 else networks, batch_tokens, max_words)
        parser._requested_precision, parser._requested_device = precision, requested_device
        parser._requested_backend = backend
        parser.name, parser._names = ",".join(dict.fromkeys(lasting.values())), lasting
        return parser if language is None else parser.in_language(language)

    def in_language(self, language: str) -> Parser:
        """Return a parser for one language, with the same network and the labels of this language.

        Args:
            language: code of a language of this parser, such as "es".

        Returns:
            A parser that shares the network with this one; this parser itself if it has only this language.

        Raises:
            SettingsError: the parser does not know the language.

        Example:
            >>> from bnaparser import Parser
            >>> parser = Parser.load("en")
            >>> parser.in_language("en") is parser
            True
        """
        known = self._known(language)
        if len(self.networks) == 1:
            return self
        network = self.networks[known]
        own = Parser({known: network}, self.batch_tokens, self.max_words)
        own.threads, own.cased = self.threads, self.cased
        own._requested_precision, own._requested_device = (
            self._requested_precision,
            self._requested_device,
        )
        own._requested_backend = self._requested_backend
        own.name = self._names.get(known, self.name)
        own._names = {known: self._names[known]} if known in self._names else {}
        if network.by_language:  # its model has other languages
            own.language, own.text = known, own.text.with_language(known)
        return own

    def text_rules(self, language: str | None = None) -> TextRules:
        """Return the rules that split text into sentences and words.

        Args:
            language: code of a language of this parser (default: the rules that this parser uses for text).

        Returns:
            The rules of the language.

        Raises:
            SettingsError: the parser does not know the language.
        """
        if language is None:
            return self.text
        known = self._known(language)
        return rules_of(known).with_language(known)

    def read_texts(self, texts: Sequence[str], language: str) -> list[list[Sentence]]:
        """Split running texts of one language into sentences and words, without parsing them.

        If the network cannot segment the words of a sentence, its words are the parts that the rules have found.

        Args:
            texts: running texts.
            language: code of their language.

        Returns:
            The sentences of each text.

        Raises:
            SettingsError: the parser does not know the language.
            ModelError: the language needs a network that segments words, and this network does not.

        Example:
            >>> from bnaparser import Parser
            >>> (sentences,) = Parser.load("en").read_texts(["It rained. Dogs bark."], "en")
            >>> [sentence.words for sentence in sentences]
            [('It', 'rained', '.'), ('Dogs', 'bark', '.')]
        """
        rules, parser = self.text_rules(language), self.in_language(language)
        check_finds_words(parser.model, rules)
        read = [list(split_stream([text], 0, rules)) for text in texts]
        sentences = [sentence for of_text in read for sentence in of_text]
        requests = zip_requests(sentences, None, DEFAULT_OPTIONS)
        known = with_words(parser.model, requests, parser.at_once(), parser.usable_threads())
        following = iter([one.sentence for one in known])
        return [list(islice(following, len(of_text))) for of_text in read]

    def _known(self, language: str) -> str:
        """Return which of the languages a code means; SettingsError for none of them."""
        check_language(language)
        known = match_language(language, self.languages)
        if known is None:
            raise SettingsError(unknown_language(language, self.languages))
        return known

    def __call__(
        self,
        text: str,
        split: Split = "paragraph",
        constraints: Sequence[Constraint] = (),
        markup: bool = False,
        language: str | None = None,
        **options: Unpack[ParseKeywords],
    ) -> Parses:
        """Split a text into sentences and parse them.

        Args:
            text: the text.
            split: what a line of the text is. "paragraph": a line end ends a sentence, and sentences are found
                within a line. "text": hard-wrapped running text. "line": one sentence a line. "token": one sentence
                a line, with blanks between words.
            constraints: constraints with character offsets, in the whole text; with "line" and "token", in the line.
            markup: the text contains constraints as markup (`bnaparser.parsing.markup`). Offsets count the
                characters of the text without markup.
            language: language of the whole text (default: detected for each sentence).
            options: keywords of `ParseOptions`: ``n_best``, ``probabilities``, ``decoder``, ``temperature``, ``seed``.

        Returns:
            A Parse for each sentence, in order. With "line" and "token" an empty line has a Parse with an ``error``.

        Raises:
            TypeError: ``text`` is not a string.
            ValueError: an unknown ``split``, an option out of range, or constraints that do not fit the text.
            SettingsError: the parser does not know the language.

        Example:
            >>> from bnaparser import Parser
            >>> parser = Parser.load("en")
            >>> [parse.text for parse in parser("It rained. Dogs bark.")]
            ['It rained.', 'Dogs bark.']
            >>> (parse,) = parser("I saw the man with the telescope.", n_best=3, probabilities=True)
            >>> len(parse.alternatives), 0 < parse.probability < 1
            (2, True)
        """
        check_text(text, _MANY)
        rules = self.text_rules(language)
        sentences, each = under_constraints(text, split, constraints, markup, rules)
        parse_options = list(map(options_of_keywords(options).with_constraints, each))
        return Parses(self.parse_sentences(sentences, options=parse_options))

    def parse_sentence(
        self, text: str, constraints: Sequence[Constraint] = (), **options: Unpack[ParseKeywords]
    ) -> Parse:
        """Parse a text that is one sentence.

        Args:
            text: one sentence.
            constraints: constraints with character offsets in ``text``.
            options: keywords of `ParseOptions`: ``n_best``, ``probabilities``, ``decoder``, ``temperature``, ``seed``.

        Returns:
            One Parse.

        Raises:
            TypeError: ``text`` is not a string.
            ValueError: an option out of range.

        Example:
            >>> from bnaparser import Parser
            >>> Parser.load("en").parse_sentence("Wait! Stop!").words
            ('Wait', '!', 'Stop', '!')
        """
        check_text(text, _MANY)
        sentences = [self.text.sentence(text)]
        each = map(options_of_keywords(options).with_constraints, in_words(constraints, sentences))
        return self.parse_sentences(sentences, options=list(each))[0]

    def parse_words(
        self,
        words: Iterable[str],
        tags: Sequence[str] | None = None,
        constraints: Sequence[Constraint] = (),
        **options: Unpack[ParseKeywords],
    ) -> Parse:
        """Parse a sentence of words (tokens).

        Args:
            words: the words.
            tags: a part-of-speech tag for each word. The tree has these tags, and a model that reads tags uses them.
            constraints: constraints whose offsets count words.
            options: keywords of `ParseOptions`: ``n_best``, ``probabilities``, ``decoder``, ``temperature``, ``seed``.

        Returns:
            One Parse.

        Raises:
            TypeError: ``words`` is a string. Use `parse_sentence` for text.
            ValueError: an option out of range.

        Example:
            >>> from bnaparser import Parser
            >>> print(Parser.load("en").parse_words(["Dogs", "bark"], tags=["NNS", "VBP"]).tree)
            (TOP (S (NP (NNS Dogs)) (VP (VBP bark))))
        """
        parse_options = options_of_keywords(options).with_constraints(constraints)
        rows = None if tags is None else [tags]
        return self.parse_sentences([sentence_of(words)], rows, options=parse_options)[0]

    def parse_many(
        self,
        sentences: Iterable[Iterable[str]],
        tags: Sequence[Sequence[str]] | None = None,
        constraints: Sequence[Sequence[Constraint]] | None = None,
        **options: Unpack[ParseKeywords],
    ) -> Parses:
        """Parse sentences of words (tokens), in batches.

        Args:
            sentences: the words of each sentence.
            tags: the part-of-speech tags of each sentence, one for each word.
            constraints: the constraints of each sentence; offsets count words.
            options: keywords of `ParseOptions`: ``n_best``, ``probabilities``, ``decoder``, ``temperature``, ``seed``.

        Returns:
            A Parse for each sentence, in order. Character offsets count in the words joined by blanks.

        Raises:
            TypeError: a sentence is a string.
            ValueError: another number of tags or constraints than of sentences, or an option out of range.

        Example:
            >>> from bnaparser import Parser
            >>> parses = Parser.load("en").parse_many([["It", "rained", "."], ["Dogs", "bark", "."]])
            >>> [parse.tree.words for parse in parses]
            [('It', 'rained', '.'), ('Dogs', 'bark', '.')]
        """
        tokenized = list(each_sentence(sentences))
        parse_options = options_of_keywords(options)
        if constraints is None:
            return Parses(self.parse_sentences(tokenized, tags, options=parse_options))
        return Parses(
            self.parse_sentences(
                tokenized, tags, options=list(map(parse_options.with_constraints, constraints))
            )
        )

    def stream(
        self,
        lines: Iterable[str],
        batch_tokens: int | None = None,
        **options: Unpack[ParseKeywords],
    ) -> Iterator[Parse]:
        """Parse lines, one sentence a line, in constant memory.

        If ``lines`` raises an error, the lines before the error are parsed first.

        Args:
            lines: the sentences. Each line is one sentence, as with ``split="line"``.
            batch_tokens: maximum number of subwords in a batch (default: the parser's).
            options: keywords of `ParseOptions`: ``n_best``, ``probabilities``, ``decoder``, ``temperature``, ``seed``.

        Yields:
            A Parse for each line, in order. Character offsets count in the line.

        Raises:
            TypeError: a line is not a string, or ``lines`` is one string.

        Example:
            >>> from bnaparser import Parser
            >>> parses = Parser.load("en").stream(line for line in ["It rained.", "Dogs bark."])
            >>> [str(parse.tree.find("VP").__next__()) for parse in parses]
            ['(VP (VBD rained))', '(VP (VBP bark))']
        """
        parse_options = options_of_keywords(options)
        for ahead in read_ahead(each_text(lines, "lines"), READ_AHEAD):
            sentences = [self.text.sentence(line) for line in ahead]
            yield from self.parse_sentences(sentences, None, batch_tokens, parse_options)

    @overload
    def pipe(
        self,
        texts: Iterable[str],
        as_tuples: Literal[False] = False,
        **options: Unpack[ParseKeywords],
    ) -> Iterator[Parses]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str, Context]],
        as_tuples: Literal[True],
        **options: Unpack[ParseKeywords],
    ) -> Iterator[tuple[Parses, Context]]: ...
    def pipe(
        self, texts: Iterable[Any], as_tuples: bool = False, **options: Unpack[ParseKeywords]
    ) -> Iterator[Any]:
        """Parse running texts in constant memory, with batches across texts.

        If ``texts`` raises an error, the texts before the error are parsed first. ``texts`` may be a Series of pandas or Polars: a
        missing text (None, NaN) gives one Parse with an ``error``. The parses of a text of pandas keep its index label in ``label``,
        from which `bnaparser.integrations.pandas.constituents` takes the column ``document``.

        Args:
            texts: the texts; with ``as_tuples`` pairs of a text and any object.
            as_tuples: take and yield pairs.
            options: keywords of `ParseOptions`: ``n_best``, ``probabilities``, ``decoder``, ``temperature``, ``seed``.

        Yields:
            The parses of each text, as ``parser(text)`` returns them; with ``as_tuples`` pairs of parses and object.

        Raises:
            TypeError: a text is not a string, or ``texts`` is one string.

        Example:
            >>> from bnaparser import Parser
            >>> parser = Parser.load("en")
            >>> [len(parses) for parses in parser.pipe(["It rained. Dogs bark.", "Go!"])]
            [2, 1]
            >>> [context for _, context in parser.pipe([("Go!", {"id": 7})], as_tuples=True)]
            [{'id': 7}]
        """
        check_flag("as_tuples", as_tuples)
        parse_options = options_of_keywords(options)
        source = each_pair(texts) if as_tuples else each_labelled_text(texts)
        read = ((None if t is None else read_sentences(t, rules=self.text), c) for t, c in source)
        # An empty text counts, too: there may be any number of them.
        for ahead in read_ahead(read, READ_AHEAD, lambda one: max(1, len(one[0] or ()))):
            queued = [sentence for sentences, _ in ahead for sentence in sentences or ()]
            parses = iter(self.parse_sentences(queued, options=parse_options))
            for sentences, context in ahead:
                if sentences is None:
                    of_text = Parses([Parse("", error=NO_TEXT)])
                else:
                    of_text = Parses(islice(parses, len(sentences)))
                if as_tuples:
                    yield of_text, context
                else:
                    of_text.label = context
                    yield of_text

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
        options: ParseOptions | Sequence[ParseOptions] = DEFAULT_OPTIONS,
    ) -> list[Parse]:
        """Parse tokenized sentences, in batches sorted by length.

        Args:
            sentences: the sentences.
            tags: the part-of-speech tags of each sentence, one for each word.
            batch_tokens: maximum number of subwords in a batch (default: the parser's).
            options: the options of all sentences, or one `ParseOptions` for each sentence.

        Returns:
            A Parse for each sentence, in order.

        Raises:
            TypeError: an element is not a `Sentence`.
            ValueError: another number of tags or options than of sentences.

        Example:
            >>> from bnaparser import Parser
            >>> parser = Parser.load("en")
            >>> (sentences,) = parser.read_texts(["It rained. Dogs bark."], "en")
            >>> [parse.error for parse in parser.parse_sentences(sentences)]
            [None, None]
        """
        check_sentences(sentences)
        check_at_least_1("batch_tokens", batch_tokens)
        requests = zip_requests(sentences, tags, options)
        if len(self.networks) == 1:
            (network,) = self.networks.values()
            return self._parse(network, requests, batch_tokens)
        places: dict[str, list[int]] = {}  # of the sentences of each language
        for place, one in enumerate(requests):
            sentence = one.sentence
            language = sentence.language or detect_language_or_first(sentence.text, self.languages)
            own = match_language(language, self.languages)
            if own is None:
                requests[place] = one.refused(unknown_language(language, self.languages))
            elif sentence.language is None:
                requests[place] = one._replace(sentence=replace(sentence, language=own))
            places.setdefault(own or self.languages[0], []).append(place)
        found: dict[int, Parse] = {}
        for language, chosen in places.items():
            of_language = [requests[place] for place in chosen]
            parses = self._parse(self.networks[language], of_language, batch_tokens)
            found.update(zip(chosen, parses, strict=True))
        return [found[place] for place in range(len(requests))]

    def _parse(
        self,
        network: ParsingNetwork,
        requests: Sequence[SentenceRequest],
        batch_tokens: int | None,
    ) -> list[Parse]:
        """Parse sentences with the network of their language; a Parse each, in order."""
        size, threads = self._at_once(network, batch_tokens), self.usable_threads()
        requests = with_words(network, requests, size, threads, self.max_words)
        reads_tags, turns = network.settings.tags.given, network.prefer_single_thread
        limits = ParsingLimits(reads_tags, self.max_words, size, threads, turns)
        prepare, predict = partial(self._prepare, network), partial(_predict, network)
        return parse_each(requests, prepare, lambda one: one.size, predict, limits)

    def __repr__(self) -> str:
        name = "a model in memory" if self.name is None else repr(self.name)
        known = f"{len(self.labels)} labels"
        if self.predicts_tags:
            tags = {tag for network in self.networks.values() for tag in network.tags.names}
            known += f", {len(tags)} tags"
        batch = f"batches of {self.batch_tokens:,} subwords"
        return f"<Parser of {name} on {self.model.device}: {known}, {batch}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.name is None:
            raise TypeError(
                "a Parser of a model in memory cannot be pickled: save the model"
                ' (bnaparser.network.storage.save(model, folder, "float32", {})) and load it with'
                " Parser.load(folder)"
            )
        # Where none was requested, another machine may have a better device.
        usual = default_tokens(PARSING_TOKENS, str(self.model.device))
        batch_tokens = None if self.batch_tokens == usual else self.batch_tokens
        names = tuple(dict.fromkeys(self._names.values()))
        name = names if len(names) > 1 else self.name
        arguments = (
            name,
            self._requested_device,
            batch_tokens,
            self._requested_precision,
            self.max_words,
        )
        state = {"cased": self.cased, "threads": self.threads, "named": self.text.named}
        return type(self).load, (*arguments, self.language, self._requested_backend), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.cased, self.threads = state["cased"], state["threads"]
        if (named := state["named"]) is not None:
            self.text = self.text_rules(named)

    def prepare(self, requests: Sequence[SentenceRequest]) -> list[PreparedSentence]:
        """Return valid sentences in the form that `model` takes.

        Args:
            requests: sentences without an error, with their options and tags.

        Returns:
            The prepared sentences, in order; with tags if the model reads tags.
        """
        return self._prepare(self.model, requests)

    def _prepare(
        self, network: ParsingNetwork, requests: Sequence[SentenceRequest]
    ) -> list[PreparedSentence]:
        return prepare_parts(network, partial(self._prepare_part, requests=requests))

    def _prepare_part(
        self, network: ParsingNetwork, requests: Sequence[SentenceRequest]
    ) -> list[PreparedSentence]:
        tags = [one.tags for one in requests if one.tags is not None]
        rows = None if len(tags) < len(requests) else tags
        joined = network.settings.encoder.detokenize
        if joined is None:
            cased = self.cased and network.reads_case
            read = [
                self._rules(one.sentence).as_read(one.sentence.words, cased) for one in requests
            ]
        else:
            read = [detokenize(one.sentence, joined) for one in requests]
        return network.prepare(read, rows, [one.sentence.words for one in requests])

    def _rules(self, sentence: Sentence) -> TextRules:
        """Return how the language of a sentence is read, by default the network's."""
        return self.text if sentence.language is None else rules_of(sentence.language)

    def at_once(self, batch_tokens: int | None = None) -> int:
        """Return the maximum number of subwords in a batch.

        Args:
            batch_tokens: a number to use instead of the parser's.

        Returns:
            ``batch_tokens``, or the parser's number, or the default of the device.

        Example:
            >>> from bnaparser import Parser
            >>> Parser.load("en", device="cpu").at_once(100)
            100
        """
        return self._at_once(self.model, batch_tokens)

    def _at_once(self, network: ParsingNetwork, batch_tokens: int | None) -> int:
        return 1 if network.batch_sensitive else batch_tokens or self.batch_tokens

    def usable_threads(self) -> int:
        """Return how many batches may be computed at once."""
        if not str(self.model.device).startswith("cpu"):
            return 1
        check_at_least_1("threads", self.threads or None)
        return self.threads or usable_threads()


def _by_language(network: ParsingNetwork) -> dict[str, ParsingNetwork]:
    """Return a network as the network of each of its languages, all weights shared."""
    return {language: network.in_language(language) for language in network.settings.text.languages}


def labels_of(language: str, network: ParsingNetwork) -> frozenset[str]:
    """Return the constituent labels of a language's network, including chains."""
    known = network.by_language.get(language)
    return frozenset(network.labels.names) if known is None else known.labels


def _predict(
    network: ParsingNetwork, batch: Sequence[tuple[PreparedSentence, ParseOptions]]
) -> Sequence[Prediction | str]:
    """Parse one batch of sentences."""
    prepared = [one for one, _ in batch]
    with on_one_thread():
        if all(parse_options.plain for _, parse_options in batch):
            return predict_batch(network, prepared)
        with network.inference():
            encoded = network.encode(prepared)
            scores = network.all_scores(encoded)
            tags = predicted_tags(network, encoded, prepared)
    options = [parse_options for _, parse_options in batch]
    return answers(scores, encoded.lengths, options, chart_of(network), tags)
