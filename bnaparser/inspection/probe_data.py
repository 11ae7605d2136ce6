"""The data of the structural probe: sentences with gold trees, and word vectors of an encoder's layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser import models
from bnaparser.encoders.device import move
from bnaparser.encoders.encoder_settings import max_positions
from bnaparser.encoders.loading import load_pretrained
from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.compressed import ending
from bnaparser.files.folder import CONFIG
from bnaparser.files.tables import read_object
from bnaparser.models.packages import find_installed
from bnaparser.syntax.batch import collate
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.syntax.variants import sla
from bnaparser.tasks.model import batches_of_texts, load_model, load_words_tokenizer, to_device
from bnaparser.tasks.settings import SyntaxTable
from bnaparser.text.text_rules import DEFAULT_LANGUAGE
from bnaparser.treebanks.conllu import load_conllu
from bnaparser.treebanks.lines import StrPath
from bnaparser.treebanks.reading import find_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.dependencies import is_punctuation
from bnaparser.trees.heads.rules import HeadRules

Vectors = NDArray[np.float32]


@dataclass
class Reader:
    """An encoder whose states are looked at; ``syntax`` is what guides it, without a variant nothing.

    ``language`` is that of the texts that it has learned from, where it is known.
    """

    encoder: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    syntax: SyntaxTable
    language: str = DEFAULT_LANGUAGE

    @property
    def device(self) -> torch.device:
        """Where the encoder is."""
        device: torch.device = self.encoder.device
        return device

    @property
    def layers(self) -> int:
        """The number of layers; layer 0 is the embeddings."""
        count: int = self.encoder.config.num_hidden_layers
        return count

    def chosen(self, layers: Sequence[int]) -> list[int]:
        """Return the requested layers, or all layers if none is requested; SettingsError for
        unknown layers.
        """
        for layer in layers:
            if not 0 <= layer <= self.layers:
                raise SettingsError(
                    f"there is no layer {layer}: this encoder has 0 to {self.layers}"
                )
        return sorted(set(layers)) or list(range(self.layers + 1))


def load_reader(name: str, device: str | None = None) -> Reader:
    """Load a task's model (a folder, one that ships, a package's), or an encoder of transformers.

    Raises ModelError if it is neither, or the device is not there.
    """
    is_known = name in models.shipped() or find_installed(name) is not None
    folder = models.find(name) if is_known else Path(name)
    table = read_object(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    if "task" in table:
        model = to_device(load_model(folder), device)
        settings = model.settings
        return Reader(
            model.network.encoder, model.tokenizer, settings.syntax, settings.task.language
        )
    if folder.is_dir() and "model_type" not in table:
        raise ModelError(f"{folder} is neither an encoder of transformers nor a task model")
    encoder = load_pretrained(name).eval()
    move(encoder, device)
    return Reader(encoder, load_words_tokenizer(name), SyntaxTable())


@panics_as_errors()
@torch.inference_mode()
def word_vectors(
    reader: Reader, structures: Sequence[SyntaxTrees], layers: Sequence[int], guided: bool
) -> list[Vectors | None]:
    """Return of each sentence the vectors (layers, words, width), means of the words' subwords.

    Where ``guided``, the reader's variant sees the structures. A sentence that the encoder cannot
    take whole, or of which a word has no subword, gets None.
    """
    found: list[Vectors | None] = [None] * len(structures)
    sizes = [len(structure.words) for structure in structures]
    for chosen in batches_of_texts(sizes, reader.encoder):
        batch = [structures[index] for index in chosen]
        tokens = reader.tokenizer(
            [list(structure.words) for structure in batch],
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=max_positions(reader.encoder.config),
            return_tensors="pt",
        )
        states = _states(reader, batch, tokens, layers, guided)
        for row, index in enumerate(chosen):
            words = len(structures[index].words)
            found[index] = mean_pieces(states[:, row], tokens.word_ids(row), words)
    return found


def _states(
    reader: Reader, batch: Sequence[SyntaxTrees], tokens: Any, layers: Sequence[int], guided: bool
) -> Tensor:
    """Return the states of the chosen layers, (layers, B, T, H), on the CPU."""
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = {name: tokens[name].to(reader.device) for name in names if name in tokens}
    variant = reader.syntax.variant
    if guided and variant is not None:
        inputs["syntax"] = collate(batch, tokens, variant)
    outputs = reader.encoder(**inputs, output_hidden_states=True)
    # The last of them may lack a last norm, or what is stacked on top.
    states = (*outputs.hidden_states[: reader.layers], outputs.last_hidden_state)
    return torch.stack([states[layer] for layer in layers]).float().cpu()


def mean_pieces(states: Tensor, pieces: Iterable[int | None], words: int) -> Vectors | None:
    """Return (layers, words, H): of ``states`` (layers, T, H) the mean over each word's subwords.

    ``pieces`` says of each token which word it is a subword of. None if a word has no subword.
    """
    belongs = torch.zeros(words, states.shape[1])
    for place, word in enumerate(pieces):
        if word is not None:
            belongs[word, place] = 1
    counts = belongs.sum(dim=1, keepdim=True)
    if not words or not counts.all():
        return None
    vectors: Vectors = (belongs / counts @ states).numpy()
    return vectors


@dataclass(frozen=True)
class GoldSentence:
    """A sentence's words and trees, and which of its words are punctuation.

    In trees the tag decides, as in Hewitt and Manning's program; CoNLL-U's words decide themselves.
    """

    structure: SyntaxTrees
    punctuation: tuple[bool, ...]


def read_gold(path: StrPath, rules: HeadRules, limit: int | None = None) -> list[GoldSentence]:
    """Return the sentences of a file, the first ``limit`` of them.

    A file with ``.conllu`` in its name is CoNLL-U; any other, a folder or a pattern is read as
    `bnaparser.treebanks.reading.find_trees` does, cleaned, its heads found by ``rules``. Raises DataError or
    TreeError if it cannot be read or holds no sentence.
    """
    conllu = ending(Path(path)) == ".conllu"
    read = _dependencies(path) if conllu else _trees(path, rules)
    found = list(islice(read, limit))
    if not found:
        raise DataError(f"{path}: the file holds no sentence")
    return found


def _trees(path: StrPath, rules: HeadRules) -> Iterator[GoldSentence]:
    for found in find_trees(path):
        tree = clean(found.tree)
        if tree is not None:
            words = [unescape(word) for word in tree.words]
            marks = tuple(map(is_punctuation, tree.tags))
            yield GoldSentence(SyntaxTrees.of_trees(words, [tree], rules), marks)


def _dependencies(path: StrPath) -> Iterator[GoldSentence]:
    for sentence in load_conllu(path):
        marks = tuple(map(sla.is_punctuation, sentence.words))
        yield GoldSentence(SyntaxTrees(sentence.words, sentence.heads), marks)
