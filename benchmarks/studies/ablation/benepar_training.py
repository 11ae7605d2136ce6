"""Train benepar 0.2 once, for run_ablation.py, which starts this in benepar's own environment.

    python benepar_training.py JOB.json

JOB.json: ``encoder``, ``threads``, ``seed``, ``train`` (trees, one a line), ``batches`` (a list of
indices of training trees for each update), ``learning_rate``, ``warmup_steps``, ``betas``,
``epsilon``, ``batch_tokens``, ``tag_weight``, ``precision``, ``checkpoint``: a file from which the same
job is gone on with when it was broken off, and ``parse``: a list of pairs, trees to parse and where to
write what was found. Prints one line of JSON: seconds of training, versions.

The model is that of benepar's EXPERIMENTS.md for BERT (two partitioned layers, tags predicted) with
the defaults of its training script; the loop is a loop around its ``compute_loss``. The encoder and
the partitioned layers compute in bfloat16 where the job's ``precision`` is ``bf16``, the scores of
tags and spans in float32: as in our training. Written trees have the gold tags, as its
documentation evaluates (``--no-predict-tags``).
"""

import json
import os
import sys
import time
from importlib.metadata import version
from itertools import compress
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import nltk
import torch
from benepar import decode_chart, nkutil, parse_base, parse_chart
from benepar.ptb_unescape import guess_space_after, ptb_unescape

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PACKAGES = ("benepar", "torch", "torch-struct", "transformers", "numpy")
UPDATES_A_CHECKPOINT = 100


class BeneparExample(parse_base.BaseInputExample):  # type: ignore[misc]
    """A sentence as benepar takes it; with ``gold`` for training."""

    def __init__(self, tree: nltk.Tree, gold: bool):
        self.tagged = [(word, tag) for word, tag in tree.pos()]
        self.tree = tree if gold else None
        self.words = ptb_unescape(tree.leaves())
        self.space_after = guess_space_after(self.words)

    def leaves(self) -> list[str]:
        return [word for word, _ in self.tagged]

    def pos(self) -> list[tuple[str, str]]:
        return self.tagged


def build(job: dict[str, Any], trees: list[nltk.Tree]) -> parse_chart.ChartParser:
    decoder = decode_chart.ChartDecoder
    settings = nkutil.HParams(
        use_chars_lstm=False,
        use_pretrained=True,
        pretrained_model=job["encoder"],
        use_encoder=True,
        num_layers=2,
        d_model=1024,
        num_heads=8,
        d_kv=64,
        d_ff=2048,
        encoder_max_len=512,
        d_label_hidden=256,
        d_tag_hidden=256,
        predict_tags=True,
        tag_loss_scale=job["tag_weight"],
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


def compute_in_bfloat16(module: torch.nn.Module) -> None:
    """Make a part of the network compute in bfloat16 and return float32; weights stay float32."""
    forward = module.forward

    def under_autocast(*arguments: Any, **options: Any) -> Any:
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=module.training):
            output = forward(*arguments, **options)
        if isinstance(output, torch.Tensor):
            return output.float()
        output.last_hidden_state = output.last_hidden_state.float()
        return output

    module.forward = under_autocast


def fits(parser: parse_chart.ChartParser, example: BeneparExample) -> bool:
    """Tell whether benepar takes a sentence: it cuts none into windows, and refuses what is too long for the encoder."""
    try:
        parser.retokenizer(example.words, example.space_after)
    except ValueError:
        return False
    return True


def train(
    job: dict[str, Any], parser: parse_chart.ChartParser, examples: list[BeneparExample]
) -> float:
    """Update by the job's batches, without the sentences that are too long for benepar; return the seconds."""
    long = {index for index, example in enumerate(examples) if not fits(parser, example)}
    optimizer = torch.optim.Adam(parser.parameters(), betas=job["betas"], eps=job["epsilon"])
    parser.train()
    done, before = resume(job, parser, optimizer)
    begin = time.monotonic() - before
    for update, indices in enumerate(job["batches"][done:], done):
        factor = min(1.0, update / job["warmup_steps"])
        for group in optimizer.param_groups:
            group["lr"] = factor * job["learning_rate"]
        batch = [examples[index] for index in indices if index not in long]
        total = 0.0
        for _, part in parser.encode_and_collate_subbatches(batch, job["batch_tokens"]):
            loss = parser.compute_loss(part)
            loss.backward()
            total += loss.item()
        optimizer.step()
        optimizer.zero_grad()
        if (update + 1) % 50 == 0:
            print(f"update {update + 1}, loss {total:.3f}", file=sys.stderr, flush=True)
        if (update + 1) % UPDATES_A_CHECKPOINT == 0:
            keep(job, parser, optimizer, update + 1, time.monotonic() - begin)
    return time.monotonic() - begin


def keep(
    job: dict[str, Any],
    parser: parse_chart.ChartParser,
    optimizer: torch.optim.Optimizer,
    done: int,
    seconds: float,
) -> None:
    """Keep all that the job needs to be gone on with; what is broken off leaves the checkpoint before it."""
    state = {
        "job": job,
        "done": done,
        "seconds": seconds,
        "parser": parser.state_dict(),
        "optimizer": optimizer.state_dict(),
        "random": torch.get_rng_state(),
        "device_random": torch.cuda.get_rng_state_all(),
    }
    half = f"{job['checkpoint']}.half"
    torch.save(state, half)
    os.replace(half, job["checkpoint"])


def resume(
    job: dict[str, Any], parser: parse_chart.ChartParser, optimizer: torch.optim.Optimizer
) -> tuple[int, float]:
    """Return the updates that are done and the seconds they took, after putting back what was kept of this job."""
    if not os.path.isfile(job["checkpoint"]):
        return 0, 0.0
    state = torch.load(job["checkpoint"], map_location=DEVICE, weights_only=True)
    if state["job"] != job:
        return 0, 0.0
    parser.load_state_dict(state["parser"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"].cpu())
    torch.cuda.set_rng_state_all([one.cpu() for one in state["device_random"]])
    return state["done"], state["seconds"]


def parse(parser: parse_chart.ChartParser, source: str, target: str) -> None:
    """Write a tree a line; an empty line, which EVALB leaves out, for a sentence that is too long."""
    parser.f_tag = None
    examples = [BeneparExample(tree, gold=False) for tree in read(source)]
    short = [fits(parser, example) for example in examples]
    found = parser.parse(list(compress(examples, short)), subbatch_max_tokens=500)
    trees = (tree.pformat(margin=sys.maxsize) for tree in found)
    with open(target, "w", encoding="utf-8") as file:
        for one in short:
            print(next(trees) if one else "", file=file)


def read(path: str) -> list[nltk.Tree]:
    with open(path, encoding="utf-8") as file:
        return [nltk.Tree.fromstring(line) for line in file]


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    torch.set_num_threads(job["threads"])
    torch.set_flush_denormal(True)
    torch.manual_seed(job["seed"])
    trees = read(job["train"])
    parser = build(job, trees).to(DEVICE)
    if job["precision"] == "bf16":
        compute_in_bfloat16(parser.pretrained_model)
        compute_in_bfloat16(parser.encoder)
    examples = [BeneparExample(tree, gold=True) for tree in trees]
    seconds = train(job, parser, examples)
    for source, target in job["parse"]:
        parse(parser, source, target)
    print(json.dumps({"seconds": seconds, "versions": {name: version(name) for name in PACKAGES}}))


if __name__ == "__main__":
    main()
