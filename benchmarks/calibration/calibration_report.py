"""The page and the figures of run_calibration.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration.judged_sets import (
    CONFIDENCES,
    NBEST,
    JudgedSet,
    f1,
    f1_of_kept,
    in_the_unsurest,
    of_chance,
)
from bnaparser.training.calibration import calibration_error, log_loss, reliability

SHARES = (0.25, 0.5, 0.75)
UNSURE = 0.2
# Points of fewer constituents than this would only be chance.
DRAWN_FROM = 20
HEAD = """\
# Calibration

{about}.

    {again}

The probability of a constituent is the fraction of all trees that contain it, each tree weighted by exp(score / temperature)
(`chart/probabilities.py`). Perfect calibration means: of the constituents with probability p in the best trees, the fraction p is correct. A constituent is
*correct* if the gold tree has the same label over the same words, punctuation included. A chain over the same words counts as one constituent, and all of its labels must be equal (`S::VP`). TOP does not count.

The stored temperature is **{temperature:g}**. It minimises the log loss of "this constituent is correct" on {chosen_on} together, so the errors on
these sets are measured on the sets that were used to choose it. The other sets were not used to choose it. GUM's trees are silver (made by a parser).

## Calibration error

The table has the expected calibration error with 15 bins of probability. It is the mean over constituents of the distance between the fraction of
correct constituents in a bin and the mean probability of the bin. *By chance* is the error of a perfectly calibrated parser with the same number of constituents.
*As EVALB counts*: without punctuation, PRT is ADVP, and each label of a chain is a bracket.

| set | sentences | constituents | right, % | mean probability, % | error before (1), % | **error, %** | by chance | as EVALB counts |
|---|---|---|---|---|---|---|---|---|"""
LIKELIHOOD = """
![Fraction of correct constituents by probability](calibration_reliability.svg)

Points of less than {least} constituents are not drawn.

Another way to choose the temperature is to maximise the likelihood of the gold trees of {chosen_on}, which gives {likeliest:g}. With this temperature the probabilities of constituents are far too high.
The reason: hundreds of spans, each with a hundred very improbable labels, lower the probability of a tree, and the maximum of the likelihood compensates for them.
With the temperature of the constituents, the probability of a whole tree does not show how often the tree is exactly right. With the temperature of the likelihood it shows this to a small degree.

| set | error at {likeliest:g}, % | log loss at {likeliest:g} | log loss at {temperature:g} | exactly right trees, % | mean probability of the best tree at {likeliest:g}, % | at {temperature:g}, % |
|---|---|---|---|---|---|---|"""
LISTS = """
## Other trees than the best

F1 of three trees: the best tree, the tree with the most expected correct constituents (minimum Bayes risk), and the tree with the highest F1 among the first
{nbest} trees (oracle, which needs the gold tree).

| set | best tree | minimum Bayes risk | {oracles} |
|---|---|---|{dashes}|"""
KEPT = """
## Confidence for selecting sentences

F1 of the sentences with the highest confidence, if only a part of the sentences is kept. Two baselines select sentences at random ("chance") and by shortness.

![F1 over the fraction of sentences that are kept](calibration_kept.svg)

| set | kept | {names} |
|---|---|{dashes}|"""
ERRORS = """
The {unsure:.0%} of the sentences with the lowest confidence, which a person could correct: their fraction of all words (the cost of reading them), and their fraction of all
wrong or missing brackets.

| set | {names} |
|---|{dashes}|"""

Sets = Mapping[str, JudgedSet]


def page(told: Sets, temperatures: Sequence[float], chosen_on: str, about: str, again: str) -> str:
    """Return the page; temperatures are 1, that of the likelihood, and that of the constituents."""
    _, likeliest, temperature = temperatures
    filled = {
        "chosen_on": chosen_on,
        "likeliest": likeliest,
        "temperature": temperature,
        "least": DRAWN_FROM,
    }
    names = [name for name in CONFIDENCES if name != "chance"]
    oracles = " | ".join(f"oracle of {count}" for count in NBEST)
    lines = [HEAD.format(about=about, again=again, **filled)]
    lines += [errors_row(name, one, temperatures) for name, one in told.items()]
    lines.append(LIKELIHOOD.format(**filled))
    lines += [likelihood_row(name, one, likeliest, temperature) for name, one in told.items()]
    nbest = " and ".join(map(str, NBEST))
    lines.append(LISTS.format(nbest=nbest, oracles=oracles, dashes="|".join(["---"] * len(NBEST))))
    lines += [lists_row(name, one) for name, one in told.items()]
    dashes = "|".join(["---"] * len(CONFIDENCES))
    lines.append(KEPT.format(names=" | ".join(CONFIDENCES), dashes=dashes))
    lines += [kept_row(name, one, share) for name, one in told.items() for share in SHARES]
    titles = " | ".join(f"{name}: words, % | errors, %" for name in names)
    dashes = "|".join(["---"] * 2 * len(names))
    lines.append(ERRORS.format(unsure=UNSURE, names=titles, dashes=dashes))
    lines += [unsure_row(name, one, names) for name, one in told.items()]
    return "\n".join(lines) + "\n"


def errors_row(name: str, one: JudgedSet, temperatures: Sequence[float]) -> str:
    before, _, after = (one.judged(temperature) for temperature in temperatures)
    figures = (
        100 * after.right.mean(),
        100 * after.probabilities.mean(),
        calibration_error(before),
        calibration_error(after),
        of_chance(after, calibration_error),
        calibration_error(one.judged_by_evalb()),
    )
    shown = [f"{figure:.2f}" for figure in figures]
    shown[3] = f"**{shown[3]}**"
    return f"| {name} | {len(one.words)} | {len(after.right)} | {' | '.join(shown)} |"


def likelihood_row(name: str, one: JudgedSet, likeliest: float, temperature: float) -> str:
    some, chosen = one.judged(likeliest), one.judged(temperature)
    trees = [100 * np.mean(one.tree_probabilities[at]) for at in (likeliest, temperature)]
    return (
        f"| {name} | {calibration_error(some):.2f} | {log_loss(some):.4f} | {log_loss(chosen):.4f} "
        f"| {100 * np.mean(one.exact):.1f} | {trees[0]:.1f} | {trees[1]:.1f} |"
    )


def lists_row(name: str, one: JudgedSet) -> str:
    found = [f1(rows) for rows in (one.best, one.expected, *(one.oracles[n] for n in NBEST))]
    return f"| {name} | {' | '.join(f'{figure:.2f}' for figure in found)} |"


def kept_row(name: str, one: JudgedSet, share: float) -> str:
    found = [f1_of_kept(one, confidence, share) for confidence in CONFIDENCES]
    return f"| {name} | {share:.0%} | {' | '.join(f'{figure:.2f}' for figure in found)} |"


def unsure_row(name: str, one: JudgedSet, names: Sequence[str]) -> str:
    found = [figure for one_name in names for figure in in_the_unsurest(one, one_name, UNSURE)]
    return f"| {name} | {' | '.join(f'{figure:.1f}' for figure in found)} |"


def draw_reliability(told: Sets, temperatures: Sequence[float], path: Path) -> None:
    """Draw the share of right constituents over their probability, a panel a temperature."""
    pyplot = plotting()
    figure, axes = pyplot.subplots(
        1, len(temperatures), figsize=(10, 3.5), sharey=True, layout="constrained"
    )
    for axis, temperature in zip(axes, temperatures, strict=True):
        axis.plot((0, 1), (0, 1), color="grey", linewidth=0.8)
        for name, one in told.items():
            bins = [
                found for found in reliability(one.judged(temperature)) if found.size >= DRAWN_FROM
            ]
            across, up = [one.probability for one in bins], [one.right for one in bins]
            axis.plot(across, up, marker="o", markersize=3, linewidth=1, label=name)
        axis.set(title=f"temperature {temperature:g}", xlabel="probability", xlim=(0, 1))
        axis.grid(alpha=0.3)
    axes[0].set(ylabel="share that is right", ylim=(0, 1))
    axes[-1].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def draw_kept(told: Sets, path: Path) -> None:
    """Draw F1 over the share of sentences that are kept, a panel a set, a line a confidence."""
    pyplot = plotting()
    figure, axes = pyplot.subplots(
        1, len(told), figsize=(2.4 * len(told), 3.5), layout="constrained"
    )
    shares = np.linspace(0.1, 1, 19)
    for axis, (name, one) in zip(np.atleast_1d(axes), told.items(), strict=True):
        for confidence in CONFIDENCES:
            kept = [f1_of_kept(one, confidence, share) for share in shares]
            axis.plot(100 * shares, kept, linewidth=1.2, label=confidence)
        axis.set(title=name, xlabel="sentences kept, %")
        axis.grid(alpha=0.3)
    first = np.atleast_1d(axes)[0]
    first.set(ylabel="F1")
    figure.legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(path, metadata={"Date": None})


def plotting() -> Any:
    import matplotlib

    matplotlib.use("svg")
    settings = {"svg.hashsalt": "calibration", "svg.fonttype": "none", "font.size": 9}
    matplotlib.rcParams.update(settings)
    from matplotlib import pyplot

    return pyplot
