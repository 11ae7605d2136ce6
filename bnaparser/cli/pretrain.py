"""``bnaparser pretrain``: a recipe and text in, an encoder that knows spans out (SpanBERT)."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from bnaparser.cli.arguments import add_examples, add_recipe
from bnaparser.cli.quiet import log_progress, quiet_libraries
from bnaparser.errors import require
from bnaparser.training.loop import interruptible

log = logging.getLogger(__name__)

EXAMPLES = """\
  bnaparser pretrain recipes/pretrain/two-minutes.toml
  bnaparser pretrain recipes/pretrain/en.toml --set encoder.name=ENCODER --show-masks "The cat sat."\
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the recipe, where to write, and settings that override the recipe's."""
    add_recipe(parser, "checkpoints, logs, the text in subwords, and the encoder")
    parser.add_argument(
        "--show-masks",
        metavar="TEXT",
        help="train nothing; show how each scheme masks this text",
    )
    add_examples(parser, EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Pre-train; the encoder is in OUTPUT/model. An interrupted run is resumed by the same command."""
    quiet_libraries()
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    log_progress()
    logging.getLogger("accelerate").setLevel(
        logging.ERROR
    )  # it tells of tied weights at each check
    from bnaparser.spanbert.pretrain_settings import load_pretrain_recipe

    recipe = load_pretrain_recipe(options.recipe, tuple(options.set))
    if options.show_masks is not None:
        from bnaparser.spanbert.mask_picture import picture

        print(picture(options.show_masks, recipe))
        return 0
    require("pretrain", "accelerate", "tensorboard", "datasets", "filelock")
    output = options.output or Path("runs") / options.recipe.stem
    log.info("reading the text of %s; output in %s", options.recipe, output)
    with interruptible():
        from bnaparser.spanbert.pretraining import pretrain

        progress = pretrain(recipe, output, fresh=options.fresh)
    found = progress.history[-1] if progress.history else {}
    losses = ", ".join(f"{n} {v:.3f}" for n, v in found.items() if n.startswith("held_out"))
    print(f"{progress.tokens:,} subwords seen; {losses or 'nothing held out'}: {output}/model")
    return 0
