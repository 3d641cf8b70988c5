"""Draw the README's picture, docs/picture/terminal.svg, from a real run of suture in a pseudo-terminal.

    python -m docs.picture [FILE]

Ids are constant, so the same output gives the same file; `tests/contract/test_picture.py` compares the two.
"""

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

SAMPLE = "def total(net, tax):\n    return net * (1 + tax)\n"
EDIT = ("suture", "edit", "cart.py")
WANTED = ("--old", "return net*(1 + tax)", "--new", "return round(net*(1 + tax), 2)")
IDS = ("537m2c6xq1v8hz4", "537m2c9r4k7tb0w")
"""Replaces the ids of changes, which differ from run to run."""

COLUMNS, ROWS = 96, 40
STYLES = {"1": "bold", "2": "faint", "31": "red", "32": "green", "33": "yellow", "36": "cyan"}
"""The codes that suture uses; others are an error."""

CELL, LINE, SIZE = 8.4, 18, 14
LEFT, TOP, BAR = 20, 62, 38
TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" \
aria-labelledby="title desc">
<title id="title">suture in a terminal</title>
<desc id="desc">An edit that does not fit is refused: the answer names the difference and offers a correction. \
The correction lands, with its diff. Undo reverts it.</desc>
<style>
text {{
  font: {size}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  white-space: pre;
  fill: #e6edf3
}}
.bold {{ font-weight: 700 }}
.faint {{ fill: #9aa4af }}
.red {{ fill: #ff8e86 }}
.green {{ fill: #7ee787 }}
.yellow {{ fill: #e3b341 }}
.cyan {{ fill: #79c0ff }}
</style>
<rect x="0.5" y="0.5" width="{inner_width}" height="{inner_height}" rx="10" fill="#11161d" stroke="#48515c"/>
<path d="M1 {bar}H{inner_width}" stroke="#2a313a"/>
<g fill="#5c6672">
<circle cx="22" cy="19.5" r="6"/><circle cx="42" cy="19.5" r="6"/><circle cx="62" cy="19.5" r="6"/>
</g>
<g xml:space="preserve">
{texts}
</g>
</svg>
"""

Character = tuple[str, str]
"""A character, and the class names of its style."""


def main() -> None:
    """Write the picture next to this script, or into the file that is named."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("terminal.svg")
    target.write_text(picture(), "utf-8")


def picture() -> str:
    """The picture, from a run."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "shop")
        project.mkdir()
        (project / "cart.py").write_text(SAMPLE)
        refused = run_command(
            project, "a model forgot two spaces: refused, and corrected", shlex.join((*EDIT, *WANTED))
        )
        (offered,) = re.findall(r"1\. Type this instead; .*?: (suture edit .*)", refused)
        landed = run_command(project, "the correction, as it was offered, lands", offered)
        undone = run_command(project, "and every change can be taken back", "suture undo 2> /dev/null | head -1")
    return draw(screen(with_constant_ids(f"{refused}\n{landed}\n{undone}")))


def run_command(project: Path, comment: str, command: str) -> str:
    """A comment and a command as typed, and the terminal output of the command in a folder."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "TERM": "xterm-256color",
        "XDG_STATE_HOME": str(project.parent),
        "XDG_CONFIG_HOME": str(project.parent),
    }
    with subprocess.Popen(  # noqa: S603  the commands are written above
        ["/bin/sh", "-c", command], cwd=project, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    ):
        os.close(terminal)
        output = bytearray()
        with suppress(OSError):  # on Linux, the end of the output is an error
            while chunk := os.read(controller, 65536):
                output += chunk
    os.close(controller)
    typed = f"\033[2m# {comment}\033[0m\n\033[32m$\033[0m \033[1m{command}\033[0m\n"
    return typed + output.decode().replace("\r\n", "\n")


def with_constant_ids(session: str) -> str:
    """A session in which ids do not differ from run to run."""
    for actual, constant in zip(dict.fromkeys(re.findall(r"\b[0-9][0-9a-z]{14}\b", session)), IDS, strict=True):
        session = session.replace(actual, constant)
    return session


def screen(session: str) -> list[list[Character]]:
    """The lines of a terminal, at most as wide as it is."""
    lines: list[list[Character]] = [[]]
    style = ""
    for code, char in re.findall(r"\033\[([0-9;]*)m|((?s:.))", session):
        if code:
            style = "" if code == "0" else " ".join(STYLES[number] for number in code.split(";"))
        elif char == "\n":
            lines.append([])
        elif char.isprintable():
            if len(lines[-1]) == COLUMNS:
                lines.append([])
            lines[-1].append((char, style))
        else:
            message = f"not drawn: {char!r}"
            raise ValueError(message)
    return lines[:-1]


def draw(lines: list[list[Character]]) -> str:
    """The window with these lines, as SVG."""
    width, height = round(2 * LEFT + COLUMNS * CELL), TOP + LINE * (len(lines) - 1) + LEFT
    texts = [text for row, line in enumerate(lines) for text in runs(line, TOP + LINE * row)]
    return TEMPLATE.format(
        width=width,
        height=height,
        inner_width=width - 1,
        inner_height=height - 1,
        bar=BAR + 0.5,
        size=SIZE,
        texts="\n".join(texts),
    )


def runs(line: list[Character], y: int) -> list[str]:
    """The parts of a line, one per style, each at its column and as wide as its cells in any font."""
    texts, column = [], 0
    for style, group in groupby(line, lambda character: character[1]):
        run = "".join(char for char, _ in group)
        shown = run.strip(" ")
        if shown:
            x = LEFT + (column + len(run) - len(run.lstrip(" "))) * CELL
            place = f'x="{x:g}" y="{y}" textLength="{len(shown) * CELL:g}"'
            kind = f' class="{style}"' * bool(style)
            texts.append(f"<text {place}{kind}>{escape(shown)}</text>")
        column += len(run)
    return texts


if __name__ == "__main__":
    main()
