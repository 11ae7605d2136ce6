"""Time EVALB: ``python -m benchmarks.evalb.run_evalb GOLD TEST`` repeats the pairs to 40,000 and scores them.

The time is that of a fresh process with COLLINS.prm, start-up included, output to a file.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from bnaparser.eval import params
from bnaparser.eval.files import open_bytes

PAIRS = 40_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", metavar="GOLD")
    parser.add_argument("test", metavar="TEST")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for side, name in vars(options).items():
            files.append(Path(folder, side))
            with open_bytes(name) as file, files[-1].open("wb") as out:
                out.writelines(islice(cycle(line.rstrip(b"\n") + b"\n" for line in file), PAIRS))
        prm = Path(params.__file__).with_name("COLLINS.prm")
        command = [sys.executable, "-m", "bnaparser.eval.evalb", "-p", str(prm), *map(str, files)]
        with Path(folder, "table").open("wb") as table:
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=table)
            wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(f"{PAIRS} pairs: {wall:.2f} s wall, {cpu:.2f} s CPU, at most {memory:.0f} MB")


if __name__ == "__main__":
    main()
