"""The encoders of the benchmarks, and what was done to each before it came here: every page names it."""

from __future__ import annotations

ENCODERS = {
    "bert-tiny": "BERT-tiny (2 layers, width 128), fine-tuned for sparse retrieval (SPLADE)",
    "minilm-l3": "paraphrase-MiniLM-L3-v2 (3 layers, width 384), fine-tuned for sentence similarity",
    "minilm-l6": "all-MiniLM-L6-v2 (6 layers, width 384), fine-tuned for sentence similarity",
    "distilbert-cased": (
        "distilbert-base-cased (6 layers, width 768), fine-tuned to tag grammar errors and stored in int8 with one scale "
        "per matrix; the rounding noise is 1 to 10 % of a matrix's standard deviation, 19 to 40 % in the second "
        "feed-forward matrix of layers 1 to 4. It is not the original DistilBERT"
    ),
    "mpnet-base": "all-mpnet-base-v2 (12 layers, width 768), fine-tuned for sentence similarity",
    "e5-small-multilingual": (
        "multilingual-e5-small (12 layers, width 384), fine-tuned for retrieval and stored in 4 bits with a scale for "
        "every 32 weights; the embeddings of texts have a cosine of 0.98 to 0.99 to the original's"
    ),
}


def described(name: str) -> str:
    """Return an encoder's name with what it is; the name alone if the encoder is not known here."""
    return f"{name}: {ENCODERS[name]}" if name in ENCODERS else name
