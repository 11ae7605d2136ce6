"""Make models with benepar 0.2 and write what it parses with them; run in benepar's own environment.

    python making.py JOB.json

JOB.json: ``train`` and ``parse`` (files of trees, one a line), ``sentences`` (how many of the latter),
``texts`` (strings for its spaCy component), ``output`` (a folder), ``threads``, ``repeats`` (of
timed parsing), and ``models``: a list of tables with ``name``, ``encoder`` (bert, electra, xlmr or
t5: a small random one; or a Hugging Face folder), ``width`` of that encoder, ``head`` (d_model of
benepar's own layers), ``layers`` (benepar's own, 0 for none), ``tags``, ``updates`` (of training,
0 for a random model), ``rule``
(of normalization in SentencePiece, nmt_nfkc where nothing is said).

Writes OUTPUT/NAME, the model as benepar's ``export.py`` writes it, and OUTPUT/NAME.json: ``trees``
of the sentences as escaped words, and of the first third of them ``listed`` of plain words, ``spaced`` with
blanks drawn at random, ``tagged`` with gold tags, ``typed`` and ``guessed`` words and blanks; ``spans`` of the texts by its spaCy component; ``seconds``, the fastest
of the repeats of ``parse_sents`` and of sorted batches of 500 subwords.
"""

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import benepar
import nltk
import sentencepiece
import spacy
import torch
import transformers
from benepar import decode_chart, nkutil, parse_base, parse_chart
from benepar.ptb_unescape import guess_space_after, ptb_unescape
from tokenizers import BertWordPieceTokenizer

PIECES = 500
# Sizes of all small encoders; WIDTH is the job's.
SIZES = {"num_hidden_layers": 2, "num_attention_heads": 2, "initializer_range": 0.2}


class GoldExample(parse_base.BaseInputExample):  # type: ignore[misc]
    """A sentence with its tree, as benepar's training takes it."""

    def __init__(self, tree: nltk.Tree):
        self.tree = tree
        self.words = ptb_unescape(tree.leaves())
        self.space_after = guess_space_after(self.words)

    def leaves(self) -> list[str]:
        return list(self.tree.leaves())

    def pos(self) -> list[tuple[str, str]]:
        return list(self.tree.pos())


def word_pieces(folder: Path, text: Path) -> Any:
    trained = BertWordPieceTokenizer(lowercase=False)
    trained.train([str(text)], vocab_size=PIECES, min_frequency=1, show_progress=False)
    trained.save_model(str(folder))
    return transformers.BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=False)


def sentence_pieces(folder: Path, text: Path, rule: str, kind: Any, **options: Any) -> Any:
    special: dict[str, Any] = {}
    if kind is transformers.T5TokenizerFast:
        special = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(folder / "spiece"),
        vocab_size=PIECES,
        hard_vocab_limit=False,
        normalization_rule_name=rule,
        minloglevel=2,
        **special,
    )
    return kind(vocab_file=str(folder / "spiece.model"), **options)


def small_encoder(job: dict[str, Any], model: dict[str, Any], text: Path) -> Path:
    """Write a small encoder of the kind that is asked for, weights random, and its tokenizer."""
    folder = Path(job["output"]) / f"encoder-{model['name']}"
    folder.mkdir(parents=True)
    width, rule = model["width"], model.get("rule", "nmt_nfkc")
    sizes = {**SIZES, "hidden_size": width, "intermediate_size": 2 * width}
    if model["encoder"] in ("bert", "electra"):
        tokenizer = word_pieces(folder, text)
        if model["encoder"] == "bert":
            config = transformers.BertConfig(len(tokenizer), **sizes)
        else:
            config = transformers.ElectraConfig(len(tokenizer), embedding_size=width // 2, **sizes)
    elif model["encoder"] == "xlmr":
        tokenizer = sentence_pieces(folder, text, rule, transformers.XLMRobertaTokenizerFast)
        positions = {"max_position_embeddings": 514, "pad_token_id": 1}
        config = transformers.XLMRobertaConfig(len(tokenizer), **positions, **sizes)
    else:
        tokenizer = sentence_pieces(folder, text, rule, transformers.T5TokenizerFast, extra_ids=0)
        config = transformers.T5Config(
            len(tokenizer),
            d_model=width,
            d_kv=width // 2,
            d_ff=2 * width,
            num_layers=2,
            num_heads=2,
        )
    tokenizer.model_max_length = 512
    tokenizer.save_pretrained(folder)
    transformers.AutoModel.from_config(config).save_pretrained(folder)
    return folder


def real_encoder(job: dict[str, Any], model: dict[str, Any]) -> Path:
    """Write a real BERT's weights and tokenizer as benepar finds them: with BERT's own class."""
    folder = Path(job["output"]) / f"encoder-{model['name']}"
    transformers.AutoModel.from_pretrained(model["encoder"]).save_pretrained(folder)
    file = str(Path(model["encoder"]) / "tokenizer.json")
    transformers.BertTokenizerFast(tokenizer_file=file, model_max_length=512).save_pretrained(
        folder
    )
    return folder


def build(model: dict[str, Any], encoder: Path, trees: list[nltk.Tree]) -> parse_chart.ChartParser:
    decoder = decode_chart.ChartDecoder
    settings = nkutil.HParams(
        use_chars_lstm=False,
        use_pretrained=True,
        pretrained_model=str(encoder),
        use_encoder=model["layers"] > 0,
        num_layers=model["layers"],
        d_model=model["head"],
        num_heads=2 if model["head"] < 512 else 8,
        d_kv=model["head"] // 4 if model["head"] < 512 else 64,
        d_ff=2 * model["head"],
        encoder_max_len=512,
        d_label_hidden=min(model["head"], 256),
        d_tag_hidden=min(model["head"], 256),
        predict_tags=model["tags"],
        tag_loss_scale=5.0,
        force_root_constituent=decoder.infer_force_root_constituent(trees),
        morpho_emb_dropout=0.2,
        attention_dropout=0.2,
        relu_dropout=0.1,
        residual_dropout=0.2,
    )
    tags = ["UNK", *sorted({tag for tree in trees for _, tag in tree.pos()})]
    return parse_chart.ChartParser(
        tag_vocab={tag: number for number, tag in enumerate(tags)},
        label_vocab=decoder.build_vocab(trees),
        char_vocab=None,
        hparams=settings,
    )


def train(parser: parse_chart.ChartParser, trees: list[nltk.Tree], updates: int) -> None:
    examples = [GoldExample(tree) for tree in trees]
    optimizer = torch.optim.Adam(parser.parameters(), lr=2e-3)
    parser.train()
    for update in range(updates):
        batch = random.Random(update).sample(examples, min(16, len(examples)))
        for _, part in parser.encode_and_collate_subbatches(batch, 2000):
            parser.compute_loss(part).backward()
        optimizer.step()
        optimizer.zero_grad()
    parser.eval()


def export(parser: parse_chart.ChartParser, folder: Path) -> None:
    """Write a model folder, as benepar's ``src/export.py`` does."""
    parser.retokenizer.tokenizer.save_pretrained(folder)
    config = parser.pretrained_model.config
    config.benepar = parser.config
    config.save_pretrained(folder)
    torch.save(parser.cpu().state_dict(), folder / "benepar_model.bin")


def brackets(trees: Any) -> list[str]:
    return [" ".join(tree.pformat(margin=sys.maxsize).split()) for tree in trees]


def answers(parser: benepar.Parser, trees: list[nltk.Tree], repeats: int) -> dict[str, Any]:
    generator = random.Random(3)
    few = max(1, len(trees) // 3)
    escaped = [benepar.InputSentence(escaped_words=tree.leaves()) for tree in trees]
    words = [ptb_unescape(tree.leaves()) for tree in trees[:few]]
    blanks = [[generator.random() < 0.7 for _ in row] for row in words]
    spaced = [
        benepar.InputSentence(words=row, space_after=after)
        for row, after in zip(words, blanks, strict=True)
    ]
    tagged = [
        benepar.InputSentence(escaped_words=tree.leaves(), tags=[tag for _, tag in tree.pos()])
        for tree in trees[:few]
    ]
    seconds: dict[str, list[float]] = {"parse_sents": [], "sorted": []}
    filled = [parser._with_missing_fields_filled(one) for one in escaped]
    for _ in range(repeats):
        begin = time.perf_counter()
        found = list(parser.parse_sents(escaped))
        seconds["parse_sents"].append(time.perf_counter() - begin)
        begin = time.perf_counter()
        list(parser._parser.parse(filled, subbatch_max_tokens=500))
        seconds["sorted"].append(time.perf_counter() - begin)
    return {
        "typed": words,
        "guessed": [guess_space_after(row) for row in words],
        "trees": brackets(found),
        "listed": brackets(parser.parse_sents(words)),
        "blanks": blanks,
        "spaced": brackets(parser.parse_sents(spaced)),
        "tagged": brackets(parser.parse_sents(tagged)),
        "seconds": {name: min(times) for name, times in seconds.items()},
    }


def spans(folder: Path, tags: bool, texts: list[str]) -> list[list[Any]]:
    """All constituents that benepar's spaCy component finds: place, labels, brackets, family."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("benepar", config={"model": str(folder), "disable_tagger": not tags})
    rows = []
    for doc in nlp.pipe(texts):
        for sentence in doc.sents:
            for span in sentence._.constituents:
                above = span._.parent
                rows.append(
                    [
                        [span.start, span.end],
                        list(span._.labels),
                        span._.parse_string,
                        None if above is None else [above.start, above.end],
                        [[child.start, child.end] for child in span._.children],
                        [token.tag_ for token in span],
                    ]
                )
    return rows


def read(path: str) -> list[nltk.Tree]:
    with open(path, encoding="utf-8") as file:
        return [nltk.Tree.fromstring(line) for line in file]


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    torch.set_num_threads(job["threads"])
    trees = read(job["train"])
    sentences = read(job["parse"])[: job["sentences"]]
    output = Path(job["output"])
    output.mkdir(parents=True, exist_ok=True)
    text = output / "text.txt"
    text.write_text(
        "\n".join(" ".join(ptb_unescape(tree.leaves())) for tree in trees), encoding="utf-8"
    )
    for model in job["models"]:
        torch.manual_seed(5)
        known = model["encoder"] in ("bert", "electra", "xlmr", "t5")
        encoder = small_encoder(job, model, text) if known else real_encoder(job, model)
        parser = build(model, encoder, trees)
        train(parser, trees, model["updates"])
        folder = output / model["name"]
        export(parser, folder)
        found = answers(benepar.Parser(str(folder)), sentences, job["repeats"])
        found["spans"] = spans(folder, model["tags"], job["texts"])
        (output / f"{model['name']}.json").write_text(json.dumps(found), encoding="utf-8")
        print(model["name"], found["seconds"], found["trees"][0][:200], flush=True)


if __name__ == "__main__":
    main()
