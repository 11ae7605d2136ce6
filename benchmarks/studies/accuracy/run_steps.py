"""Measure the effect of single training steps on a small English parser.

    bnaparse --dependencies HEADS.conllu -o DEPENDENCIES.mrg
    bnaparse -i TEXT -o TEXT.mrg
    python -m benchmarks.studies.accuracy.run_steps --treebanks TREEBANKS --encoder DIR --pretrained DIR
        --dependencies DEPENDENCIES.mrg --text TEXT.mrg --output DIR
    python -m benchmarks.studies.accuracy.run_steps ... --report

The script trains the parser of ``steps.toml``, and one parser for each of STEPS, with the same number of updates. The data that
a step adds is read in place of gold trees, not in addition. All steps run with the first seed, then with the next. Each parser
is scored on the first sentences of the development sets, on these sentences in capitals, and on held-out constructions;
no setting is chosen by these scores. A finished training writes a line to ``OUTPUT/steps.jsonl``. ``--report``
writes ``steps.md`` and ``steps.jsonl`` beside this file and keeps the notes at the end of the page.

``--pretrained`` is the encoder after more pre-training (``bnaparser pretrain``). TEXT.mrg has the teacher's trees of
running text, DEPENDENCIES.mrg the teacher's trees of sentences with gold heads.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.accuracy.run_accuracy import SETS, bracket_scores, gold_trees
from benchmarks.encoders import described
from benchmarks.machine import command, computed_on, listed_of, now, versions, without_folders
from benchmarks.pages import keep_row, kept_rows, spread, write_page
from benchmarks.speed.run_speed import say
from bnaparser import Parser, Tree
from bnaparser.training.recipe import DataSettings, Recipe, load_recipe
from bnaparser.training.run import train
from recipes.data.write_constructions import constructions

HERE = Path(__file__).parent
PACKAGES = ("bnaparser", "torch", "transformers", "accelerate", "numpy")
NOISE = (
    "{capitals = 0.02, title_case = 0.02, no_final_mark = 0.05, typing_errors = 0.02,"
    " other_marks = 0.02, emoji = 0.01, links = 0.01, hashtags = 0.01}"
)
TEACHER = 'train.teacher=["en"]'
Row = dict[str, Any]


@dataclass(frozen=True)
class TrainingStep:
    """What is added to the training on gold trees; ``pretrained``: another encoder begins it."""

    title: str
    data: tuple[dict[str, Any], ...] = ()
    settings: tuple[str, ...] = ()
    pretrained: bool = False


PUBLISHED = (
    {"path": "TREEBANKS/silver_bert/ewt.txt.xz", "weight": 1.8, "map": "ewt"},
    {"path": "TREEBANKS/silver_bert/brown.txt.xz", "weight": 1.8},
)
TEMPLATES = ({"path": "recipes/data/constructions_train.mrg", "weight": 3.0},)
DEPENDENCIES = ({"path": "DEPENDENCIES", "weight": 4.0},)
SILVER = ({"path": "TEXT", "weight": 2.5},)
SOFT = ({"path": "TEXT", "weight": 2.5, "ignore_gold": True},)
NOISY = (f"train.noise={NOISE}", "train.lower_case=0.06")
STEPS = {
    "gold": TrainingStep("gold trees alone"),
    "noise": TrainingStep("+ noise", settings=NOISY),
    "templates": TrainingStep("+ templates", TEMPLATES),
    "published": TrainingStep("+ trees of a published parser", PUBLISHED),
    "dependencies": TrainingStep("+ the teacher's trees under gold dependencies", DEPENDENCIES),
    "teacher": TrainingStep("+ running text, the teacher's trees", SILVER),
    "soft": TrainingStep(
        "+ running text, the teacher's probabilities", SOFT, (TEACHER, "train.teacher_weight=0.0")
    ),
    "soft gold": TrainingStep(
        "+ the teacher's probabilities for the gold trees",
        settings=(TEACHER, "train.teacher_weight=0.5"),
    ),
    "pretrained": TrainingStep("+ more pre-training of the encoder", pretrained=True),
    "all": TrainingStep(
        "all steps except the teacher's trees of running text",
        (*TEMPLATES, *PUBLISHED, *DEPENDENCIES, *SOFT),
        (*NOISY, TEACHER, "train.teacher_weight=0.5"),
        pretrained=True,
    ),
}


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treebanks", type=Path, required=True, metavar="DIR")
    parser.add_argument("--encoder", required=True, metavar="DIR")
    parser.add_argument("--pretrained", metavar="DIR", help="without it those steps are left out")
    parser.add_argument("--dependencies", required=True, metavar="FILE")
    parser.add_argument("--text", required=True, metavar="FILE")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--only", choices=STEPS, help="default: all")
    parser.add_argument("--sentences", type=int, default=200, help="of each development set")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--report", action="store_true", help="write the page; train nothing")
    parser.add_argument("--page", type=Path, default=HERE / "steps.md")
    return parser.parse_args()


def rows_of(options: argparse.Namespace) -> list[Row]:
    """Return what is done, here or, where nothing is, beside the page."""
    return kept_rows(options.output / "steps.jsonl", options.page)


def pending(options: argparse.Namespace) -> list[tuple[int, str]]:
    """Return the requested trainings that are not finished: seed, step."""
    done = {(row["seed"], row["step"]) for row in rows_of(options)}
    able = [name for name, step in STEPS.items() if options.pretrained or not step.pretrained]
    able = [name for name in able if options.only in (None, name)]
    requested = product(map(int, options.seeds.split(",")), able)
    return [training for training in requested if training not in done]


def recipe_of(options: argparse.Namespace, name: str, seed: int) -> Recipe:
    """Return the recipe of a step."""
    step = STEPS[name]
    places = {
        "ENCODER": options.pretrained if step.pretrained else options.encoder,
        "TREEBANKS": str(options.treebanks),
        "DEPENDENCIES": options.dependencies,
        "TEXT": options.text,
    }
    text = (HERE / "steps.toml").read_text(encoding="utf-8")
    for placeholder in ("ENCODER", "TREEBANKS"):
        text = text.replace(placeholder, places[placeholder])
    file = options.output / f"{name}-{seed}.toml"
    file.write_text(text, encoding="utf-8")
    recipe = load_recipe(file, (f"train.seed={seed}", *step.settings, *options.set))
    more = []
    for source in step.data:
        first, *rest = source["path"].split("/")
        path = "/".join((places.get(first, first), *rest))
        more.append(DataSettings(**source | {"path": path}))
    data = (*recipe.train.data, *more)
    return recipe.model_copy(update={"train": recipe.train.model_copy(update={"data": data})})


def train_one(options: argparse.Namespace, seed: int, name: str) -> Row:
    """Train one parser; return its line."""
    recipe = recipe_of(options, name, seed)
    folder = options.output / f"{name}-{seed}"
    begin = time.monotonic()
    train(recipe, folder)
    row: Row = {"step": name, "seed": seed, "seconds": round(time.monotonic() - begin)}
    row |= scores_of(options, Parser.load(folder / "model", precision="float32"))
    row |= {"updates": recipe.train.max_steps, "sentences": options.sentences}
    row |= {"encoder": Path(options.encoder).name, "machine": computed_on()}
    row |= {"date": now(), "versions": versions(PACKAGES)}
    shutil.rmtree(folder)
    return row


def scores_of(options: argparse.Namespace, parser: Parser) -> Row:
    """Return F1 on each development set, and of these in capitals; tags and constructions right, in percent."""
    f1, capitals, tags = {}, {}, []
    for name in SETS:
        gold = gold_trees(options.treebanks, name, "dev", options.sentences)
        parses = parser.parse_many([tree.words for tree in gold])
        f1[name] = bracket_scores(gold, parses).f1
        for tree, parse in zip(gold, parses, strict=True):
            tags += [mine == tag for mine, tag in zip(parse.tags or (), tree.tags, strict=True)]
        loud = parser.parse_many([[word.upper() for word in tree.words] for tree in gold])
        capitals[name] = bracket_scores(gold, loud).f1
    held_out = [tree for _, tree in constructions("test")]
    parses = parser.parse_many([tree.words for tree in held_out])
    right = [
        Tree.from_spans(tree.words, tree.tags, parse.spans) == tree
        for tree, parse in zip(held_out, parses, strict=True)
    ]
    return {
        "f1": f1,
        "capitals": statistics.fmean(capitals.values()),
        "tags": 100 * statistics.fmean(tags),
        "constructions": 100 * statistics.fmean(right),
    }


def page_of(rows: list[Row]) -> str:
    """Return the page of all lines."""
    dates = sorted(row["date"] for row in rows)
    some = rows[0]
    machines = dict.fromkeys(row["machine"] for row in rows)
    typed = [one for one in without_folders(sys.argv[1:]) if one != "--report"]
    lines = [
        "# Effect of single training steps",
        "",
        f"{dates[0]} to {dates[-1]} UTC.",
        "",
        f"- {'; '.join(machines)}; a training took {statistics.median(row['seconds'] for row in rows) / 60:.1f} minutes",
        f"- {listed_of(rows)}",
        f"- `{command('benchmarks.studies.accuracy.run_steps', typed)}`, then the same with `--report`",
        "",
        f"Encoder {described(some['encoder'])}. GUM's trees are silver (made by a parser).",
        f"All parsers are trained with `steps.toml` on {some['encoder']}, for {some['updates']} updates of 32 sentences. Added data takes the place of gold trees.",
        f"They are scored on the first {some['sentences']} sentences of each development set. The columns are in percent, mean and standard deviation over seeds:",
        "",
        "- the sets and their mean: F1 on gold words",
        "- in capitals: mean F1 on the same sentences in CAPITALS",
        "- tags: accuracy of the predicted tags",
        "- constructions: held-out rare constructions whose tree is exactly right",
        "",
        f"| | seeds | mean | {' | '.join(SETS)} | in capitals | tags | constructions |",
        f"|---|---|---|{'---|' * len(SETS)}---|---|---|",
    ]
    for name, step in STEPS.items():
        mine = [row for row in rows if row["step"] == name]
        if mine:
            seeds = " ".join(str(row["seed"]) for row in mine)
            lines.append(f"| {step.title} | {seeds} | {' | '.join(cells(mine))} |")
    return "\n".join(lines) + "\n"


def cells(rows: list[Row]) -> list[str]:
    """Return a step's figures, those of the table's columns."""
    columns = [[statistics.fmean(row["f1"].values()) for row in rows]]
    columns += [[row["f1"][name] for row in rows] for name in SETS]
    columns += [[row[key] for row in rows] for key in ("capitals", "tags", "constructions")]
    return [spread(column) for column in columns]


def main() -> None:
    options = options_from_command_line()
    if options.report:
        rows = rows_of(options)
        write_page(options.page, page_of(rows), rows)
        return
    options.output.mkdir(parents=True, exist_ok=True)
    left = pending(options)
    for number, (seed, name) in enumerate(left):
        say(f"training {number + 1} of {len(left)}: {name}, seed {seed}")
        row = train_one(options, seed, name)
        keep_row(options.output / "steps.jsonl", row)
    say("all done; --report writes the page")


if __name__ == "__main__":
    main()
