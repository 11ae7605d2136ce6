"""Measure calibration and use of a parser's probabilities on five development sets.

    python -m benchmarks.calibration.run_calibration TREEBANKS [--model en] [--sentences N]

TREEBANKS holds ``NAME/dev.txt.xz`` (or ``.mrg``) for each set; the maps of ``recipes/label_maps.toml`` are
applied to the gold trees of masc and craft. The temperature is the stored one; the model's ``metrics.json`` names the sets
that ``bnaparser calibrate`` chose it on. A sentence goes through the network once. Writes ``calibration.md`` and two figures
beside this file, or in ``--output``. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.accuracy.run_accuracy import LABEL_MAPS, SETS
from benchmarks.calibration.calibration_report import draw_kept, draw_reliability, page
from benchmarks.calibration.judged_sets import judge_set
from benchmarks.machine import begun, command, listed, memory, processor, versions, without_folders
from bnaparser.encoders.batching import PARSING_TOKENS, default_tokens
from bnaparser.models import find
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import load_network
from bnaparser.training.calibration import (
    TEMPERATURES,
    GoldChart,
    gold_charts,
    least,
    log_likelihood,
)
from bnaparser.training.data import Example, read_examples
from bnaparser.training.recipe import DataSettings, TrainSettings
from bnaparser.treebanks.reading import list_files


def main() -> None:
    options = options_from_command_line()
    where = f"{begun()}; {processor()}, {memory()}; {listed(versions(('bnaparser', 'numba')))}"
    again = command("benchmarks.calibration.run_calibration", without_folders(sys.argv[1:]))
    folder = find(options.model)
    network = load_network(folder, options.device, options.precision)
    calibration = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["calibration"]
    names = [Path(file).parent.name for file in calibration["data"]]
    chosen_on = {name: list(charts(options, network, name)) for name in names}
    own = [one for found in chosen_on.values() for _, one in found]
    likeliest = least(lambda t: -log_likelihood(own, t), TEMPERATURES[0], TEMPERATURES[-1])
    temperatures = (1.0, float(f"{likeliest:.4g}"), calibration["temperature"])
    told = {}
    for name in SETS:
        found = chosen_on.get(name) or charts(options, network, name)
        told[name] = judge_set(found, network.labels, temperatures)
        print(f"{name}: {len(told[name].words)} sentences", flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    draw_reliability(told, temperatures, options.output / "calibration_reliability.svg")
    draw_kept(told, options.output / "calibration_kept.svg")
    about = f"{where}; `{options.model}` in {network.precision}"
    text = page(told, temperatures, " and ".join(names), about, again)
    (options.output / "calibration.md").write_text(text, encoding="utf-8")
    print(text)


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebanks", type=Path)
    parser.add_argument("--model", default="en")
    parser.add_argument("--part", default="dev")
    parser.add_argument("--sentences", type=int, metavar="N", help="the first N of each set")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    return parser.parse_args()


def charts(
    options: argparse.Namespace, network: ParsingNetwork, name: str
) -> Iterator[tuple[Example, GoldChart]]:
    (file,) = list_files(f"{options.treebanks}/{name}/{options.part}.*")
    source = DataSettings(path=str(file), map=name if SETS[name] else None)
    examples = read_examples(source, TrainSettings(label_maps=str(LABEL_MAPS)))
    tokens = default_tokens(PARSING_TOKENS, str(network.device))
    return gold_charts(network, examples[: options.sentences], tokens)


if __name__ == "__main__":
    main()
