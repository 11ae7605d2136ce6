"""What the service promises, measured: clients, schema, load, fairness, overload, endurance, faults.

    python -m benchmarks.service.run_service [--model en] [--parts schema,faults,...] [--sentences FILE]

Writes `service.md` beside this file; parts that are not run keep what it says of them. It starts
`bnaparser serve` itself, one server at a time. It wants the Debian packages `wrk` and `hey`, and
schemathesis (`pip install 'bnaparser[dev]'`); it exits with 1 when an aim is missed. All parts take
about an hour; give them a quiet machine.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import re
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks import machine
from benchmarks.service import costly as dear
from benchmarks.service import fairness as fair
from benchmarks.service import load, starts
from benchmarks.service.faults import run_faults
from benchmarks.service.service_process import SERVE, Fault, Server, checked

Parse = Callable[[Sequence[str]], object]
PACKAGES = ("bnaparser", "torch", "fastapi", "uvicorn", "pydantic", "schemathesis")
TREES = Path(__file__).parents[2] / "tests" / "data" / "tiny.mrg"
# A part of the page that people write.
NOTES = "notes"
# The service's throughput is that of the best of these: with too few it waits for requests.
CONNECTIONS = (64, 128, 256)
TURNS = 6
AIM_RATIO, AIM_LONE_SECONDS, AIM_REFUSED_SECONDS, AIM_MEMORY = 0.85, 0.005, 0.05, 0.05
AIM_BEHIND_SECONDS = 0.5
AIM_ANSWER_SECONDS, AIM_READY_SECONDS = 1.0, 2.0
AIM_MEGABYTES, AIM_LIVE_SECONDS, AIM_SHORT_SECONDS, AIM_SEARCH_SECONDS = 600, 0.3, 1.0, 2.0


class Report:
    """A part's lines of Markdown, printed as they come; and whether all its aims were met."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.met = True

    def add(self, line: str = "") -> None:
        print(line, flush=True)
        self.lines.append(line)

    def aim(self, said: str, met: bool) -> None:
        """Add a measured value and whether its aim is met."""
        self.met = self.met and met
        self.add(f"- {said}: {'met' if met else '**missed**'}.")


def main() -> int:
    options = arguments().parse_args()
    met = True
    for part in options.parts.split(","):
        report = Report()
        report.add(f"## {part.capitalize()}\n")
        heading(report)
        start = time.monotonic()
        try:
            PARTS[part](report, options)
        except Fault as fault:
            report.aim(f"failed: {fault}", False)
        report.add(f"\n{time.monotonic() - start:,.0f} s.\n")
        met = met and report.met
        # What is done is kept, whatever becomes of the next part; another run may have written, too.
        sections = earlier(options.output) | {part: "\n".join(report.lines)}
        kept = [sections[name] for name in (*PARTS, NOTES) if name in sections]
        page = ["# The service\n", *kept]
        options.output.write_text("\n".join(page), encoding="utf-8")
    return 0 if met else 1


def earlier(page: Path) -> dict[str, str]:
    """Return the parts of the page that there is, by name."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    return {part[3:].split("\n", 1)[0].lower(): part.rstrip() + "\n" for part in parts}


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--classifier", default="sst2", help="for the schema's /v1/classify")
    parser.add_argument(
        "--models", default="en,en-free,multi", help="for capacity; default %(default)s"
    )
    parser.add_argument("--parts", default=",".join(PARTS), help="default: all, %(default)s")
    parser.add_argument("--sentences", type=Path, help="a sentence a line; default: the tests' own")
    parser.add_argument("--texts", type=int, default=200, help="for NLTK's client")
    parser.add_argument("--cases", type=int, default=20_000, help="of schemathesis")
    parser.add_argument("--seconds", type=float, default=60, help="of overload")
    parser.add_argument(
        "--step-seconds", type=float, default=10, help="for each rate that is tried"
    )
    parser.add_argument("--endurance-seconds", type=float, default=600)
    parser.add_argument("--times", type=int, default=100, help="each fault")
    parser.add_argument("--stops", type=int, help="SIGTERM under load; default: as --times")
    parser.add_argument(
        "--lone", type=int, default=200, help="requests of which there is one at a time"
    )
    parser.add_argument("--starts", type=int, default=5, help="of start, with everything compiled")
    parser.add_argument(
        "--cold-starts", type=int, default=2, help="of start, with nothing compiled"
    )
    parser.add_argument("--serve", help="what starts the service; default: this Python's bnaparser")
    parser.add_argument("--queue-words", type=int, help="of the server; default: its own")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("service.md"))
    return parser


def heading(report: Report) -> None:
    found = {"Python": platform.python_version(), **machine.versions(PACKAGES)}
    report.add(f"{machine.begun()}; {machine.processor()}; {machine.listed(found)}.\n")
    # The service takes its settings from here, too.
    names = [name for name in ("BNAPARSER_WORKERS", "BNAPARSER_THREADS") if name in os.environ]
    settings = "".join(f"{name}={os.environ[name]} " for name in names)
    given = machine.without_folders(sys.argv[1:])
    report.add(f"    {settings}{machine.command('benchmarks.service.run_service', given)}\n")


def start(report: Report, options: argparse.Namespace) -> None:
    """Seconds until it answers, parses, and has nothing left to be compiled."""
    report.add(
        "Seconds from the command, medians. Complete: all workers are ready, and nothing is left to be compiled.\n"
    )
    report.add(
        "| machine code | workers | starts | `/live` | `/ready` | complete | slowest `/live` | a sentence before complete |"
    )
    report.add("|---|---|---|---|---|---|---|---|")
    medians = {}
    with starts.environments() as environment:
        for compiled, times in ((True, options.starts), (False, options.cold_starts)):
            for workers in (1, 2):
                found = []
                for number in range(times + compiled):
                    given = ["--workers", str(workers), "--log-level", "debug"]
                    one = starts.measure(started(options, given, environment(compiled)), workers)
                    # The first start with kept code compiles it, and writes Python's bytecode.
                    if number or not compiled:
                        found.append(one)
                if not found:
                    continue
                median = starts.Start(*map(statistics.median, zip(*found, strict=True)))
                medians[compiled, workers] = median
                slowest = max(one.slowest_live for one in found)
                code = "compiled" if compiled else "none"
                report.add(f"| {code} | {workers} | {len(found)} | {median.live:.2f} | {median.ready:.2f} | "
                           f"{median.complete:.2f} | {slowest:.2f} | {median.sentence:.2f} |")  # fmt: skip
    report.add()
    for (compiled, workers), median in medians.items():
        name = f"{workers} worker{'s' if workers > 1 else ''}, {'compiled' if compiled else 'nothing compiled'}"
        report.aim(f"{name}: `/live` after {median.live:.2f} s, aim {AIM_ANSWER_SECONDS:g}",
                   median.live <= AIM_ANSWER_SECONDS)  # fmt: skip
        if compiled and workers == 1:
            report.aim(f"{name}: `/ready` after {median.ready:.2f} s, aim {AIM_READY_SECONDS:g}",
                       median.ready <= AIM_READY_SECONDS)  # fmt: skip


def clients(report: Report, options: argparse.Namespace) -> None:
    """NLTK's client for CoreNLP beside the library, on raw text."""
    from nltk.parse.corenlp import CoreNLPParser

    from bnaparser import Parser

    parser = Parser.load(options.model)
    texts = read_sentences(options)[: options.texts]
    same = 0
    with started(options) as server:
        client = CoreNLPParser(url=server.address)
        for text in texts:
            found = [tree.pformat(margin=sys.maxsize) for tree in client.parse_text(text)]
            expected = [f"(ROOT{str(parse.tree)[len('(TOP') :]}" for parse in parser(text)]
            same += found == expected
    report.aim(f"NLTK's `CoreNLPParser.parse_text` gives the library's trees for {same} of "
               f"{len(texts)} texts", same == len(texts) > 0)  # fmt: skip


def schema(report: Report, options: argparse.Namespace) -> None:
    """Every operation of the OpenAPI document, with right and wrong requests."""
    with started(options, ["--classifier", options.classifier]) as server:
        paths = server.get("/openapi.json").json()["paths"].values()
        operations = [operation for path in paths for operation in path.values()]
        # What takes no body has only a few cases: those that do must make up the number.
        each = math.ceil(options.cases / sum("requestBody" in one for one in operations))
        out = checked(
            [
                str(Path(sys.executable).with_name("schemathesis")),
                "run",
                f"{server.address}/openapi.json",
                "--checks",
                "all",
                "--continue-on-failure",
                "--max-examples",
                str(each),
                "--no-color",
                "--generation-database",
                "none",
            ],
            allowed=(0, 1),
        )
        summary = out[out.find("SUMMARY") :]
        generated = re.findall(r"([\d,]+) generated", summary)
        failed = "FAILURES" in out or "ERRORS" in out
        report.aim(f"schemathesis, all checks, {len(operations)} operations, "
                   f"{generated[0] if generated else 'no'} cases", not failed)  # fmt: skip
        if failed:
            report.add("\n```\n" + out[-4000:] + "\n```")
        if not server.is_ready():
            raise Fault(f"the service is gone: {server.log()[-1000:]}")


def throughput(report: Report, options: argparse.Namespace) -> None:
    """At saturation beside the library, in one process and in one for each core; of one request alone."""
    parse = load_library(options)
    sentences = read_sentences(options)
    report.add(f"{len(sentences)} sentences, {words(sentences) / len(sentences):.1f} words each on "
               "average, one a request (wrk).\n")  # fmt: skip
    for workers in (1, os.cpu_count() or 1):
        with started(options, ["--workers", str(workers)]) as server:
            saturated(report, options, server, parse, sentences, workers)
            if workers == 1:
                few = sentences[: options.lone]
                alone, bare = alone_and_library(server, parse, few)
                report.aim(f"one request alone {alone * 1e3:.1f} ms, the library {bare * 1e3:.1f} ms, aim "
                           f"{AIM_LONE_SECONDS * 1e3:.0f} ms more", alone - bare <= AIM_LONE_SECONDS)  # fmt: skip


def saturated(
    report: Report,
    options: argparse.Namespace,
    server: Server,
    parse: Parse,
    sentences: Sequence[str],
    workers: int,
) -> None:
    """Report how many sentences a second so many processes give, beside the library."""
    seconds = options.step_seconds
    load.lone_latency(server, sentences, 20)
    load.library_throughput(parse, sentences, seconds)
    tried = {
        connections: load.throughput(server, sentences, 2 * seconds, connections)
        for connections in CONNECTIONS
    }
    connections = max(tried, key=lambda one: tried[one])
    # In turns, as the machine is now faster, now slower; wrk for longer, since it does not
    # count what is under way when it ends.
    turns = [
        (
            load.library_throughput(parse, sentences, 2 * seconds),
            load.throughput(server, sentences, 6 * seconds, connections),
        )
        for _ in range(TURNS)
    ]
    library, service = (statistics.mean(rates) for rates in zip(*turns, strict=True))
    name = f"{workers} worker{'s' if workers > 1 else ''}"
    found = ", ".join(f"{rate:,.1f} with {count}" for count, rate in tried.items())
    report.add(f"- {name}, saturation: {found} connections, in sentences/s.")
    found = ", ".join(f"{ours:.1f} ({ours / theirs:.2f})" for theirs, ours in turns)
    report.add(f"- the library: {library:,.1f} sentences/s; the service, {connections} connections: "
               f"{service:,.1f}; turn by turn {found}.")  # fmt: skip
    report.aim(
        f"{name}: ratio {service / library:.3f}, aim {AIM_RATIO}", service >= AIM_RATIO * library
    )


def capacity(report: Report, options: argparse.Namespace) -> None:
    """Memory and sentences a second by model and workers; of the first model also with the classifier."""
    sentences = read_sentences(options)
    report.add(f"{len(sentences)} sentences, {words(sentences) / len(sentences):.1f} words each on average, one a "
               f"request, {CONNECTIONS[0]} connections (wrk). Memory after that, in MB: memory that several processes share is divided "
               "among them.\n")  # fmt: skip
    report.add("| model | workers | sentences/s | memory of a worker | memory of the service |")
    report.add("|---|---|---|---|---|")
    for place, model in enumerate(options.models.split(",")):
        for workers in (1, 2):
            for more in ([], ["--classifier", options.classifier])[: 1 if place else 2]:
                given = [*more, "--model", model, "--workers", str(workers)]
                with started(options, given) as server:
                    load.lone_latency(server, sentences, 20)
                    seconds = 2 * options.step_seconds
                    rate = load.throughput(server, sentences, seconds, CONNECTIONS[0])
                    name = " and ".join([model, *more[1:]])
                    report.add(f"| `{name}` | {workers} | {rate:.0f} | {max(server.memory_by_worker()):.0f} | "
                               f"{server.memory():.0f} |")  # fmt: skip


def fairness(report: Report, options: argparse.Namespace) -> None:
    """A short request behind long ones: its time, and the throughput beside it."""
    parse = load_library(options)
    sentences = read_sentences(options)
    # A machine that is busy with other things as well is slow: nobody is to be refused for that.
    with started(options, ["--deadline-seconds", "600"]) as server:
        fair.one_turn(server, parse, sentences)
        alone = load.lone_latency(server, [fair.SHORT], 20)
        turns = [fair.one_turn(server, parse, sentences) for _ in range(TURNS)]
    took = sorted(seconds for turn in turns for seconds in turn.short_seconds)
    behind = statistics.median(took)
    report.add(f"A sentence after {fair.LONG_REQUESTS} requests of {fair.SENTENCES_EACH} sentences, "
               f"{words(sentences) / len(sentences):.1f} words each on average; {len(took)} times.\n")  # fmt: skip
    report.add(f"- alone {alone * 1e3:.0f} ms; after them {behind / alone:.1f} times as long, 90 of 100 "
               f"within {load.percentile(took, 90):.2f} s, the slowest {took[-1]:.2f} s.")  # fmt: skip
    report.aim(f"after them {behind:.2f} s (median), aim {AIM_BEHIND_SECONDS}",
               behind <= AIM_BEHIND_SECONDS)  # fmt: skip
    ratios = [turn.service_rate / turn.library_rate for turn in turns]
    rates = ", ".join(
        f"{turn.service_rate:.1f} ({ratio:.2f})" for turn, ratio in zip(turns, ratios, strict=True)
    )
    report.add(
        f"- sentences/s, and as a fraction of the library's speed in one call, turn by turn: {rates}."
    )
    ratio = statistics.median(ratios)
    report.aim(f"ratio {ratio:.3f} (median), aim {AIM_RATIO}", ratio >= AIM_RATIO)


def costly(report: Report, options: argparse.Namespace) -> None:
    """Requests as large as they may be, and long sentences: memory, and how long others wait."""
    with started(options) as server:
        report.add(
            "| request | status | seconds | memory at most, MB | `/live`, s | a sentence, s |"
        )
        report.add("|---|---|---|---|---|---|")
        costs = []
        for name, path, body in dear.bodies():
            cost = dear.measure(server, path, body)
            costs.append(cost)
            report.add(f"| {name} | {cost.status} | {cost.seconds:.2f} | {cost.megabytes:.0f} | "
                       f"{cost.live:.2f} | {cost.short:.2f} |")  # fmt: skip
    memory = max(cost.megabytes for cost in costs)
    live, short = max(cost.live for cost in costs), max(cost.short for cost in costs)
    report.add()
    report.aim(f"memory at most {memory:.0f} MB, aim {AIM_MEGABYTES}", memory <= AIM_MEGABYTES)
    report.aim(f"`/live` within {live:.2f} s, aim {AIM_LIVE_SECONDS}", live <= AIM_LIVE_SECONDS)
    report.aim(f"a sentence sent at the same time takes at most {short:.2f} s, aim {AIM_SHORT_SECONDS:g}",
               short <= AIM_SHORT_SECONDS)  # fmt: skip
    for clients, words in ((1, 500), (8, 500), (16, 500), (32, 300), (8, 190), (8, 120)):
        further: list[dict[str, object]] = [
            {},
            {"probabilities": True},
            {"n_best": 100, "format": "svg"},
        ]
        for more in further:
            with started(options, ["--deadline-seconds", "600"]) as server:
                took, answered = dear.waits_beside(
                    server, clients, words, options.step_seconds, more
                )
            asked = ", ".join(more) or "the best tree"
            median = statistics.median(took)
            report.aim(f"{clients} clients with {words} words ({asked}), {answered} answers: a sentence sent at the same "
                       f"time takes {median:.2f} s (median), the slowest {max(took):.2f} s, aim {AIM_SHORT_SECONDS:g}",
                       max(took) <= AIM_SHORT_SECONDS)  # fmt: skip
    with started(options) as server:
        took = dear.waits_beside_searches(server, 8)
    report.aim(f"a search sent at the same time as 8 slow searches takes at most {max(took):.2f} s, aim {AIM_SEARCH_SECONDS:g}",
               max(took) <= AIM_SEARCH_SECONDS)  # fmt: skip


def load_library(options: argparse.Namespace) -> Parse:
    """Return what parses texts without the service."""
    from bnaparser import Parser
    from bnaparser.text.splitting import tokenize

    parser = Parser.load(options.model)
    return lambda texts: parser.parse_sentences([tokenize(text) for text in texts])


def overload(report: Report, options: argparse.Namespace) -> None:
    """Twice what the service can do, from more connections than its queue holds."""
    with started(options) as server:
        sentence, connections, rate = saturate(report, server, options)
        with load.Watch(server) as watch:
            ends = load.hey(server, sentence, options.seconds, connections, 2 * rate)
        describe(report, ends, watch)


def endurance(report: Report, options: argparse.Namespace) -> None:
    """The same for long: memory does not grow, and afterwards all is as before."""
    seconds = options.endurance_seconds
    early = min(60.0, seconds / 3)
    parse = load_library(options)
    with started(options) as server:
        sentence, connections, rate = saturate(report, server, options)
        before = alone_and_library(server, parse, [sentence] * 50)
        with load.Watch(server) as watch:
            ends = load.hey(server, sentence, seconds, connections, 2 * rate)
        time.sleep(5)
        after = alone_and_library(server, parse, [sentence] * 50)
        describe(report, ends, watch)
        first, last = watch.memory_at(early), watch.memory_at(seconds)
        report.aim(f"memory {first:.0f} MB after {early:.0f} s, {last:.0f} MB after {seconds:.0f} s, "
                   f"aim {AIM_MEMORY:.0%} more", last <= first * (1 + AIM_MEMORY))  # fmt: skip
        (ours, theirs), (ours_after, theirs_after) = before, after
        report.aim(f"one request alone {ours * 1e3:.1f} ms before, the library {theirs * 1e3:.1f} ms; "
                   f"{ours_after * 1e3:.1f} and {theirs_after * 1e3:.1f} ms 5 s after; aim 20% more "
                   "over the library", ours_after / theirs_after <= 1.2 * ours / theirs)  # fmt: skip


def alone_and_library(
    server: Server, parse: Parse, sentences: Sequence[str]
) -> tuple[float, float]:
    """Seconds of one request alone, and of the library: in turns, as the machine's speed varies."""
    turns = [
        (load.lone_latency(server, few, len(few)), load.library_latency(parse, few, len(few)))
        for few in (sentences[start : start + 10] for start in range(0, len(sentences), 10))
    ]
    ours, theirs = (statistics.median(took) for took in zip(*turns, strict=True))
    return ours, theirs


def saturate(report: Report, server: Server, options: argparse.Namespace) -> tuple[str, int, float]:
    """Return the sentence to send, how many connections overfill the queue, and the best rate."""
    from bnaparser.server.settings import ServerSettings
    from bnaparser.text.splitting import tokenize

    # The one of middling length stands for all: hey sends a single body.
    sentence = sorted(read_sentences(options), key=len)[len(read_sentences(options)) // 2]
    size = len(tokenize(sentence).words)
    settings = ServerSettings()
    rate = load.saturation(server, sentence, options.step_seconds)
    held = min(
        (options.queue_words or settings.queue_words) // size,
        math.ceil(rate * settings.queue_seconds),
    )
    connections = min(5000, math.ceil(1.25 * held) + 64)
    report.add(f"A sentence of {size} words; saturation at {rate:,.1f} requests/s; the queue holds "
               f"about {held:,}; {connections:,} connections send {2 * rate:,.1f} requests/s (hey).\n")  # fmt: skip
    return sentence, connections, rate


def describe(report: Report, ends: load.Ends, watch: load.Watch) -> None:
    """Report how an overload went."""
    rows = {"accepted": ends.accepted, "refused (503)": ends.refused}
    report.add("| requests | number | median, ms | p99, ms |\n|---|---|---|---|")
    for name, took in rows.items():
        median, slow = (1e3 * load.percentile(took, percent) for percent in (50, 99))
        report.add(f"| {name} | {len(took):,} | {median:,.1f} | {slow:,.1f} |")
    peak = max((size for _, size in watch.memory), default=math.nan)
    report.add(f"\n- memory at most {peak:.0f} MB.")
    report.aim(f"{len(ends.refused):,} refused, {ends.others} other answers",
               bool(ends.refused) and not ends.others)  # fmt: skip
    slowest = load.percentile(ends.refused, 99)
    report.aim(f"refused within {1e3 * slowest:.0f} ms (99 of 100), aim "
               f"{1e3 * AIM_REFUSED_SECONDS:.0f}", slowest <= AIM_REFUSED_SECONDS)  # fmt: skip
    report.aim(f"one more client: {watch.answered} answers with its own trees, {watch.refused} "
               f"refusals with Retry-After, the slowest after {watch.slowest_refusal * 1e3:.0f} ms, "
               f"faults: {'; '.join(watch.faults[:3]) or 'none'}", not watch.faults)  # fmt: skip


def faults(report: Report, options: argparse.Namespace) -> None:
    """Everything that goes wrong, each a number of times."""
    stops = options.times if options.stops is None else options.stops
    report.add("| fault | times | outcome |\n|---|---|---|")
    for name, times, outcome in run_faults(partial(started, options), options.times, stops):
        report.add(f"| {name} | {times} | {outcome} |")


def read_sentences(options: argparse.Namespace) -> list[str]:
    if options.sentences is not None:
        lines = options.sentences.read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip()]
    return list(tree_texts())


def tree_texts() -> Iterator[str]:
    from bnaparser.treebanks.reading import read_trees

    for tree in read_trees([TREES]):
        yield " ".join(tree.words)


def words(sentences: Sequence[str]) -> int:
    from bnaparser.text.splitting import tokenize

    return sum(len(tokenize(sentence).words) for sentence in sentences)


def started(
    options: argparse.Namespace,
    more: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Server:
    """The service with the model and the queue that the options say."""
    queue = [] if options.queue_words is None else ["--queue-words", str(options.queue_words)]
    command = SERVE if options.serve is None else shlex.split(options.serve)
    return Server(["--model", options.model, *queue, *more], command, environment)


PARTS: dict[str, Callable[[Report, argparse.Namespace], None]] = {
    "start": start,
    "clients": clients,
    "schema": schema,
    "throughput": throughput,
    "capacity": capacity,
    "fairness": fairness,
    "costly": costly,
    "overload": overload,
    "endurance": endurance,
    "faults": faults,
}

if __name__ == "__main__":
    sys.exit(main())
