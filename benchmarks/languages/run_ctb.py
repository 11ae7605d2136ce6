"""CTB from release to row on an invented release of the real size: ``python -m benchmarks.languages.run_ctb DIR``.

Writes the release to ``DIR/LDC2005T01`` (`invented_ctb`), trains ``recipes/ctb-characters.toml`` on it
with a finder of words and a smaller network, for so many ``--updates`` (40), and has
``bnaparser.eval.ctb`` print the row of the test part; then the same sentences are parsed from raw text.
Given again, it goes on where it was. The scores are those of an invented grammar and say nothing of
Chinese: it shows that everything goes through, and what it takes.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

from benchmarks.languages.detokenised import detokenised
from benchmarks.languages.invented_ctb import SENTENCES, write_release
from benchmarks.languages.run_languages import raw_scores
from bnaparser import cli
from bnaparser.eval import ctb
from bnaparser.parsing.parser import Parser
from bnaparser.treebanks.releases import CTB

RECIPE = "recipes/ctb-characters.toml"
SMALLER = (
    'layers.layer_types=["bimsa","nsa"]',
    "layers.hidden_size=128",
    "layers.num_attention_heads=4",
    "layers.head_dim=32",
    "layers.intermediate_size=256",
    'text.languages=["zh-Hans"]',
    "text.segment_words=true",
    "train.batch_size=50",
    "train.batch_tokens=2000",
    "train.warmup_steps=10",
    "train.dev_sentences=60",
    "train.evals_per_epoch=10.0",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    options = parser.parse_args()
    release, run = options.folder / "LDC2005T01", options.folder / "run"
    clock = time.perf_counter()

    def told(what: str) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{what}: {time.perf_counter() - clock:.0f} s, {peak:,.0f} MB at most", flush=True)

    if not release.exists():
        write_release(release, sentences=options.sentences)
    told("the release is written")
    sets = [*SMALLER, f"train.max_steps={options.updates}"]
    sets += [f'train.{name}=[{{path="{release}",release="ctb",part="{part}"}}]' for name, part in (
        ("data", "train"), ("dev", "dev"))]  # fmt: skip
    arguments = [word for one in sets for word in ("--set", one)]
    cli.main(["train", RECIPE, "--output", str(run), *arguments])
    told("trained")
    ctb.main([str(release), "--model", str(run / "model")])
    told("scored")
    trees = list(CTB.read(release, "test"))
    texts = [detokenised(tree.words, "zh-Hans") for tree in trees]
    model = Parser.load(run / "model")
    found = model.parse_sentences([model.text.sentence(text.text) for text in texts])
    scores = raw_scores(trees, texts, found)
    words, constituents = float(scores.words), float(scores.constituents)
    print(f"raw text: words F1 {words:.2f}, constituents F1 {constituents:.2f}")
    told("raw text parsed")


if __name__ == "__main__":
    main()
