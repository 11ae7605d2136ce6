"""What pre-trainings lost on held-out text, from what their folders tell of it.

    python -m benchmarks.studies.pretrain.plot_curves [NAME=RUN ...]

RUN is the output of ``bnaparser pretrain``. Writes ``curves.svg`` and ``curves.json``, which it is drawn
from, beside this file (or in ``--output``), and prints what each objective lost before and after. Without a
run it draws what ``curves.json`` has. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

OBJECTIVES = {
    "held_out_words": "masked words",
    "held_out_boundaries": "from the span's boundaries",
    "held_out_next_sentence": "next sentence",
}
# A run's name, and what it found at each check.
Curves = dict[str, list[dict[str, Any]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", metavar="NAME=RUN")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    options = parser.parse_args()
    file = options.output / "curves.json"
    curves: Curves = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for given in options.runs:
        name, _, folder = given.rpartition("=")
        told = json.loads((Path(folder) / "model" / "pretrain.json").read_text(encoding="utf-8"))
        curves[name or Path(folder).name] = told["history"]
    file.write_text(json.dumps(curves, indent=1) + "\n", encoding="utf-8")
    draw(curves, options.output / "curves.svg")
    print(table(curves))


def table(curves: Curves) -> str:
    """Return what each run's objectives lost before and after, as Markdown."""
    lines = ["| run | objective | subwords seen | before | after |", "|---|---|---|---|---|"]
    for name, history in curves.items():
        first, last = history[0], history[-1]
        lines += [
            f"| {name} | {title} | {last['tokens']:,} | {first[key]:.3f} | {last[key]:.3f} |"
            for key, title in OBJECTIVES.items()
            if key in last
        ]
    return "\n".join(lines)


def draw(curves: Curves, path: Path) -> None:
    """Draw each objective's curve of each run over the subwords that it has seen."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "curves", "font.size": 9})
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    for name, history in curves.items():
        for key, title in OBJECTIVES.items():
            if key in history[-1]:
                across = [one["tokens"] / 1e6 for one in history]
                up = [one[key] for one in history]
                axis.plot(across, up, marker="o", markersize=2, label=f"{name}, {title}")
    axis.set(xlabel="million subwords seen", ylabel="held-out loss, nats a prediction")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


if __name__ == "__main__":
    main()
