"""`suture doctor`: look at everything that suture needs, say how it is and what to do. Nothing is written.

Each check has a time of its own, in a thread that is left behind if it hangs, as on a network disk that does not
answer. One that fails in a way that nobody thought of is a problem itself.
"""

from __future__ import annotations

import os

from suture import __version__
from suture.cli.amounts import several
from suture.cli.doctor.agents import agents
from suture.cli.doctor.finding import NOTE, OK, PROBLEM, problem
from suture.cli.doctor.installation import extras, packages, platform, program
from suture.cli.doctor.state import folder as state_folder
from suture.cli.doctor.state import history
from suture.cli.doctor.workspace import configuration, folder, transaction
from suture.cli.output import print_json, print_text, refuse
from suture.cli.terminal import clean, colored

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from suture.cli.doctor.finding import Finding

    Check = Callable[[str], Iterator[Finding]]

CHECKS: dict[str, tuple[Check, ...]] = {
    "installation": (program, packages),
    "extras": (extras,),
    "platform": (platform,),
    "state folder": (state_folder, history),
    "workspace": (folder, transaction, configuration),
    "agents": (agents,),
}
_SECONDS = 10.0
_COLORS = {OK: "green", NOTE: "yellow", PROBLEM: "red"}
_WIDTH = max(map(len, _COLORS))


def doctor(options: argparse.Namespace) -> int:
    """Print what every check finds."""
    root = os.path.abspath(options.root)
    found = [(group, finding) for group, checks in CHECKS.items() for check in checks for finding in _done(check, root)]
    states = [finding.state for _, finding in found]
    problems = states.count(PROBLEM)
    if options.json:
        checks = [
            {"group": group, "name": each.name, "state": each.state, "found": each.found, "advice": each.advice}
            for group, each in found
        ]
        print_json({"version": __version__, "ok": not problems, "checks": checks})
    else:
        _tell(found, _end(problems, states.count(NOTE)), quiet=options.quiet)
    return int(problems > 0)


def _done(check: Check, root: str) -> list[Finding]:
    """What a check finds, until it fails or its time is over."""
    from threading import Thread

    found: list[Finding] = []

    def run() -> None:
        try:
            for finding in check(root):
                found.append(finding)  # noqa: PERF402  what was found before a failure counts
        except Exception as error:  # noqa: BLE001  whatever it is, the other checks go on
            why = f"could not be looked at: {type(error).__name__}: {error}"
            found.append(problem(name, why, "If nothing explains it, it is a fault of suture: report it."))

    name = check.__name__.replace("_", " ")
    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(_SECONDS)
    if thread.is_alive():
        return [*found, problem(name, f"no answer within {_SECONDS:g} s", "Is a disk gone that it lies on?")]
    return found


def _tell(found: list[tuple[str, Finding]], end: str, *, quiet: bool) -> None:
    last = ""
    for group, finding in found:
        if quiet and finding.state == PROBLEM:
            refuse("PROBLEM", clean(f"{group}: {finding.name}: {finding.found}"), clean(finding.advice))
        if group != last:
            print_text(colored("bold", group[0].upper() + group[1:]))
            last = group
        sign = colored(_COLORS[finding.state], f"{finding.state:{_WIDTH}}")
        print_text(f"  {sign}  {finding.name}: {clean(finding.found)}")
        if finding.advice:
            print_text(f"  {'':{_WIDTH}}  {colored('cyan', clean(finding.advice))}")
    print_text(f"\n{end}")


def _end(problems: int, notes: int) -> str:
    """What it comes to."""
    more = f"{several(notes, 'note')} above" if notes else ""
    if problems:
        return f"{several(problems, 'problem')}: below each stands what to do." + (f" Also {more}." if more else "")
    return f"All is well; {more}." if more else "All is well."
