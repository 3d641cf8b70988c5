"""Fuzz every parser and every tool: `python -m tests.fuzz --seconds 600`, or one by `--target NAME`.

Inputs are run in child processes with limits on time and memory. Each finding is printed once, with the file that
contains its input; `--replay FILE --target NAME` runs that again.

With `--atheris`, which needs that package, inputs are chosen by the code that they reach. The package is not installed
for tests, because it has wheels only for Linux on x86-64.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from tests.fuzz.corpus import INPUTS
from tests.fuzz.running import Child, Finding, Runner, fuzz, fuzz_guided, limit_memory, make_note, replay, report
from tests.fuzz.wrong import WRONG


def main() -> int:
    """1 if there are findings."""
    options = _options()
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"):
        os.environ[name] = tempfile.mkdtemp(prefix="suture-fuzz-")
    if options.child:
        return _child(options)
    from tests.fuzz.catalog import TARGETS  # noqa: PLC0415  a child imports it after its environment is set

    if options.list:
        print("\n".join(TARGETS))
        return 0
    if options.replay:
        _, finding = Runner().run(TARGETS[options.target[0]], Path(options.replay).read_bytes())
        print("nothing wrong" if finding is None else finding.about)
        return int(finding is not None)
    return _rounds(options, options.target or list(TARGETS))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long all of it takes, about")
    parser.add_argument("--seed", type=int, default=None, help="where chance begins; else it is printed")
    parser.add_argument("--target", action="append", help="only this one; may be given several times")
    parser.add_argument("--slice", type=float, default=None, help="seconds for a target before the next one")
    parser.add_argument("--runs", type=int, default=None, help="inputs for each target, instead of seconds")
    parser.add_argument("--out", type=Path, default=Path(".fuzz"), help="where inputs of findings go")
    parser.add_argument("--atheris", action="store_true", help="choose inputs by the code they reach; needs atheris")
    parser.add_argument("--list", action="store_true", help="print the names of the targets")
    parser.add_argument("--replay", help="run one input again, in this process")
    parser.add_argument("--corpus", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _child(options: argparse.Namespace) -> int:
    if options.atheris:
        import atheris  # noqa: PLC0415  not among what is installed for tests

        atheris.instrument_imports(include=["suture"]).__enter__()
    if options.target and options.target[0] in WRONG:
        targets = WRONG
    else:
        from tests.fuzz.catalog import TARGETS as targets  # noqa: N811, PLC0415  see above
    note = make_note(options.child)
    sys.stdout = sys.stderr  # the fuzzed code may print
    limit_memory()
    if options.corpus:
        for finding in replay([(targets[name], data) for name, _, data in INPUTS], note):
            report(finding)
        report(("corpus", len(INPUTS)))
        return 0
    if options.atheris:
        target = targets[options.target[0]]
        folder = options.child.parent / "reached" / target.name.replace(" ", "-")
        fuzz_guided(target, seconds=options.slice, corpus=folder, note=note)
    chosen = [targets[name] for name in options.target]
    for message in fuzz(chosen, seed=options.seed, seconds=options.slice, runs=options.runs, note=note):
        report(message)
    return 0


def _rounds(options: argparse.Namespace, names: list[str]) -> int:
    """Give each target its slice of time, repeatedly; on a busy machine, at least once."""
    seed = options.seed if options.seed is not None else int(time.time())
    print(f"seed {seed}")
    options.out.mkdir(exist_ok=True)
    ends, known, runs = time.monotonic() + options.seconds, set[tuple[str, str]](), dict.fromkeys(names, 0)
    slice_seconds = options.slice or max(2.0, options.seconds / len(names) / 2)
    number = 0
    while number == 0 or time.monotonic() < ends:
        for name in names:
            if number and time.monotonic() > ends and options.runs is None:
                break
            limit = ["--runs", str(options.runs)] if options.runs else ["--slice", str(slice_seconds)]
            limit += ["--atheris"] if options.atheris else []
            child = Child(["--target", name, "--seed", str(seed + number), *limit], options.out)
            for message in child.run():
                if isinstance(message, Finding):
                    _report(message, known, options.out)
                else:
                    runs[message[0]] += message[1]
        number += 1
        if options.runs:
            break
    print(f"{sum(runs.values()):,} inputs, {len(known)} findings")
    for name, count in runs.items():
        print(f"  {count:9,} {name}")
    return int(bool(known))


def _report(finding: Finding, known: set[tuple[str, str]], out: Path) -> None:
    if (finding.target, finding.key) in known:
        return
    known.add((finding.target, finding.key))
    name = f"{finding.target.replace(' ', '-')}-{sha256(finding.data).hexdigest()[:8]}"
    (out / name).write_bytes(finding.data)
    (out / f"{name}.txt").write_text(f"{finding.target}\n{finding.key}\n{finding.about}", errors="backslashreplace")
    print(f"{finding.target}: {finding.key}: {len(finding.data)} bytes in {out / name}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
