"""The encoders of transformers that syntax can be attached to, by their ``model_type``.

Each was tried: with closed gates it is the plain encoder, with open ones it is another. What is not
named here is refused, as an attention that is called in a way of its own would be passed by.
"""

from __future__ import annotations

KNOWN = {
    "albert": "ALBERT",
    "bert": "BERT",
    "bert-generation": "BERT Generation",
    "big_bird": "BigBird (in full attention)",
    "camembert": "CamemBERT",
    "convbert": "ConvBERT",
    "data2vec-text": "Data2Vec",
    "deberta": "DeBERTa",
    "deberta-v2": "DeBERTa-v2 and v3",
    "distilbert": "DistilBERT",
    "electra": "ELECTRA",
    "ernie": "ERNIE",
    "esm": "ESM",
    "eurobert": "EuroBERT",
    "gte": "GTE",
    "jina_embeddings_v3": "Jina Embeddings v3",
    "layoutlm": "LayoutLM",
    "longformer": "Longformer",
    "markuplm": "MarkupLM",
    "mobilebert": "MobileBERT",
    "modernbert": "ModernBERT",
    "mpnet": "MPNet",
    "mt5": "the encoder of mT5",
    "nomic_bert": "NomicBERT",
    "roberta": "RoBERTa",
    "roberta-prelayernorm": "RoBERTa-PreLayerNorm",
    "roc_bert": "RoCBert",
    "roformer": "RoFormer",
    "splinter": "Splinter",
    "t5": "the encoder of T5",
    "umt5": "the encoder of UMT5",
    "xlm-roberta": "XLM-RoBERTa",
    "xlm-roberta-xl": "XLM-RoBERTa-XL",
    "xlnet": "XLNet",
    "xmod": "X-MOD",
}
