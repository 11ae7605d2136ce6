"""Runs end in the same bytes, however many workers there are and however often they are killed."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import DataError, SettingsError
from bnaparser.parsing.corpus.run import CorpusRun
from bnaparser.parsing.corpus.shards import ShardSettings
from bnaparser.parsing.parser import Parser
from tests.integrations.benepar_fixtures import folder
from tests.parsing.corpus.corpora import (
    SETTINGS,
    SMALL,
    in_a_process,
    many_lines,
    rows,
    run,
    write_jsonl,
    written,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")


def test_several_workers_write_the_same_bytes(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    run(parser, [corpus], tmp_path / "out", replace(SETTINGS, workers=3))
    assert written(tmp_path / "out") == whole


def test_the_manifest_tells_what_was_made_of_what(whole: dict[str, bytes], parser: Parser) -> None:
    manifest = json.loads(whole["manifest.json"])
    assert manifest["totals"]["sentences"] == 240
    assert manifest["totals"]["documents"] == 1  # one text, whatever number of parts it fills
    assert manifest["run"]["model"] == parser.name
    assert manifest["run"]["inputs"][0][:2] == ["in.txt", "text"]
    names = [shard["name"] for shard in manifest["shards"]]
    assert sorted(whole) == sorted([*names, "manifest.json", "errors.jsonl"])


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_any_moment_a_run_goes_on_to_the_same_bytes(
    workers: int, corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    draw = random.Random(workers)
    settings = replace(SETTINGS, workers=workers)
    began = time.monotonic()
    run(parser, [corpus], tmp_path / "timed", settings)
    took = time.monotonic() - began
    killed = 0
    for _ in range(4):
        moment = draw.uniform(0, took / 2)

        def work(moment: float = moment) -> None:
            threading.Timer(moment, os.kill, (os.getpid(), signal.SIGKILL)).start()
            run(parser, [corpus], tmp_path / "out", settings)
            os._exit(0)

        if in_a_process(work) == -signal.SIGKILL:
            killed += 1
        elif not killed:  # it was timed while the machine was busy: again, from the start
            shutil.rmtree(tmp_path / "out")
            took /= 2
    run(parser, [corpus], tmp_path / "out", settings)
    assert written(tmp_path / "out") == whole
    assert killed


def test_a_run_that_was_killed_while_it_tidied_up_is_tidied_up(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    output = tmp_path / "out"
    for name, data in whole.items():
        (output / name).parent.mkdir(exist_ok=True)
        (output / name).write_bytes(data)
    (output / ".run").mkdir()
    (output / ".run" / "000003.json").write_bytes(b"{}")
    run(parser, [corpus], output, SETTINGS)
    assert written(output) == whole


def test_what_is_there_is_not_parsed_again(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    output = tmp_path / "out"

    def stop_after_five() -> None:
        done = []

        def report(progress: Any) -> None:
            done.append(progress.shards)
            if len(done) == 5:
                os.kill(os.getpid(), signal.SIGKILL)

        run(parser, [corpus], output, SETTINGS, report=report)

    assert in_a_process(stop_after_five) == -signal.SIGKILL
    before = {file.name: file.stat().st_mtime_ns for file in output.glob("part-*")}
    assert len(before) == 5
    cut_off = output / "part-000001.jsonl"
    cut_off.write_bytes(cut_off.read_bytes()[:-7])  # as a machine that stopped might leave it
    (output / "part-000009.jsonl.77.draft").write_bytes(b"half")
    seen: list[tuple[int, int, int]] = []

    def note(progress: Any) -> None:
        seen.append((progress.kept, progress.new_sentences, progress.read))

    run(parser, [corpus], output, SETTINGS, report=note)
    assert written(output) == whole
    after = {file.name: file.stat().st_mtime_ns for file in output.glob("part-*")}
    assert [name for name in before if before[name] != after[name]] == ["part-000001.jsonl"]
    # What was there is not counted in the speed that the time left is told by.
    kept, new, read = seen[-1]
    assert new < 240
    assert 0 < kept < read


def test_a_complete_run_is_left_alone_and_another_s_output_is_refused(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    output = tmp_path / "out"
    run(parser, [corpus], output, SETTINGS)
    notices: list[str] = []
    totals = run(parser, [corpus], output, SETTINGS, notices=notices)
    assert (notices, totals["sentences"]) == ([f"{output} is complete"], 240)
    other = replace(SETTINGS, shard=ShardSettings(size=500))
    with pytest.raises(
        SettingsError, match=r"another run \(shard_size: 400, now 500\): give another"
    ):
        run(parser, [corpus], output, other)
    second = tmp_path / "second.txt"
    second.write_text("Dogs bark.\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"another run \(inputs: 1 of them, now 2\)"):
        run(parser, [corpus, second], output, SETTINGS)
    run(parser, [second], output, replace(other, fresh=True))
    assert sorted(written(output)) == ["errors.jsonl", "manifest.json", "part-000000.jsonl"]
    assert whole["part-000000.jsonl"] != (output / "part-000000.jsonl").read_bytes()


def test_another_limit_of_words_is_another_run(
    corpus: Path, parser: Parser, tmp_path: Path
) -> None:
    """A run was said to be complete whose longest sentences had only errors."""
    run(parser, [corpus], tmp_path / "out", SETTINGS)
    other = Parser(parser.model, max_words=5)
    other.name = parser.name
    with pytest.raises(SettingsError, match=r"another run \(max_words: 2000, now 5\)"):
        run(other, [corpus], tmp_path / "out", SETTINGS)


@pytest.mark.parametrize("kind", ["zip", "encoder", "benepar"])
def test_a_model_that_changed_under_its_name_is_another_run(
    kind: str, corpus: Path, parser: Parser, tiny_model_dir: Path, tmp_path: Path
) -> None:
    """Only three files were looked at, and of a zip none."""
    if kind == "zip":
        model = changed = Path(shutil.make_archive(str(tmp_path / "zipped"), "zip", tiny_model_dir))
    elif kind == "encoder":
        model = Path(shutil.copytree(tiny_model_dir, tmp_path / "model"))
        changed = model / "encoder" / "tokenizer.json"
    else:
        model = folder("bert-tags", tmp_path)
        changed = model / "benepar_model.bin"
    named = Parser(parser.model)
    named.name = str(model)
    run(named, [corpus], tmp_path / "out", SETTINGS)
    changed.write_bytes(changed.read_bytes() + b" ")
    with pytest.raises(SettingsError, match=r"another run \(model_sha256: "):
        run(named, [corpus], tmp_path / "out", SETTINGS)


def test_a_run_leaves_the_parser_the_threads_it_had(
    corpus: Path, parser: Parser, tmp_path: Path
) -> None:
    own = Parser(parser.model)
    own.threads = 2
    run(own, [corpus], tmp_path / "out", SETTINGS)
    assert own.threads == 2


def test_a_folder_with_other_things_is_not_touched(
    corpus: Path, parser: Parser, tmp_path: Path
) -> None:
    (tmp_path / "thesis.tex").write_text("x", encoding="utf-8")
    output = tmp_path
    with pytest.raises(
        SettingsError, match=r"holds thesis\.tex, which does not belong to this run"
    ):
        CorpusRun([str(corpus)], output, SETTINGS).go(parser, lambda p: None, print)
    assert (tmp_path / "thesis.tex").read_text(encoding="utf-8") == "x"


def test_a_file_that_is_changed_while_it_is_read_ends_the_run(
    parser: Parser, tmp_path: Path
) -> None:
    file = tmp_path / "in.txt"
    file.write_text(many_lines(60), encoding="utf-8")

    def report(progress: Any) -> None:
        if progress.shards == 1:
            with file.open("a", encoding="utf-8") as more:
                more.write("And more.\n")

    with pytest.raises(DataError, match=r"in\.txt: the file was changed while it was read"):
        run(parser, [file], tmp_path / "out", SETTINGS, report=report)


def test_input_that_is_changed_between_two_runs_is_noticed(parser: Parser, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    text = many_lines(60)
    file.write_text(text, encoding="utf-8")

    def stop() -> None:
        run(parser, [file], tmp_path / "out", SETTINGS, report=lambda progress: os._exit(9))

    assert in_a_process(stop) == 9
    file.write_text(text.replace("often in 0", "often in 9"), encoding="utf-8")
    with pytest.raises(DataError, match=r"part-000000\.jsonl \(.*in\.txt:1 to .*changed since"):
        run(parser, [file], tmp_path / "out", SETTINGS)
    run(parser, [file], tmp_path / "out", replace(SETTINGS, fresh=True))


def test_two_runs_do_not_write_one_folder(corpus: Path, parser: Parser, tmp_path: Path) -> None:
    said: list[str] = []

    def report(progress: Any) -> None:
        if not said:
            with pytest.raises(
                SettingsError, match="another run is writing to this folder"
            ) as caught:
                run(parser, [corpus], tmp_path / "out", SETTINGS)
            said.append(str(caught.value))

    run(parser, [corpus], tmp_path / "out", SETTINGS, report=report)
    assert said


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(
    workers: int, corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    written_so_far = []

    def full(descriptor: int) -> None:
        written_so_far.append(descriptor)
        if len(written_so_far) > 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    settings = replace(SETTINGS, workers=workers)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(DataError, match=r"the disk is full: free some space, and run the same"):
            run(parser, [corpus], tmp_path / "out", settings)
    assert not list((tmp_path / "out").rglob("*.draft"))
    run(parser, [corpus], tmp_path / "out", settings)
    assert written(tmp_path / "out") == whole


def test_ids_and_errors_survive_a_stop(parser: Parser, tmp_path: Path) -> None:
    given = [*rows(), *rows(), {"id": "x"}] * 3
    file = write_jsonl(tmp_path / "in.jsonl", given)
    settings = replace(SMALL, id_field="id")
    run(parser, [file], tmp_path / "whole", settings)

    def stop() -> None:
        run(parser, [file], tmp_path / "out", settings, report=lambda progress: os._exit(9))

    assert in_a_process(stop) == 9
    run(parser, [file], tmp_path / "out", settings)
    assert written(tmp_path / "out") == written(tmp_path / "whole")
    errors = (tmp_path / "out" / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(errors) == 23


def actor_process() -> int:
    """A process of Ray's that holds a parser, by the name that Ray gives it."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            name = path.read_bytes()
        except OSError:
            continue
        if b"ShardParser" in name and name.startswith(b"ray::"):
            return int(path.parent.name)
    raise AssertionError("no actor")


def test_ray_writes_the_same_bytes_also_when_an_actor_is_killed(
    corpus: Path, parser: Parser, whole: dict[str, bytes], tmp_path: Path
) -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, logging_level="error", log_to_driver=False)
    try:

        def report(progress: Any) -> None:
            if progress.shards == 4:
                os.kill(actor_process(), signal.SIGKILL)

        settings = replace(SETTINGS, workers=1, engine="ray")
        run(parser, [corpus], tmp_path / "out", settings, report=report)
    finally:
        ray.shutdown()
    assert written(tmp_path / "out") == whole
