"""Replies of models, the trees they meet and the trees they make: for what holds for every reply.

They are the cases of tests/cases/apply_reply, by the categories of the specification (docs/spec/seeds, 004), and some
that are too long to be written down. Each sample says what becomes of each block: `applied`, `already_applied`,
`skipped`, or the code of its error.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from suture import ToolResult, Workspace
from tests.cases.case_file import CASES, read


class Sample(NamedTuple):
    """A reply, the files before and after it, and the status of each block (`*`: any error)."""

    name: str
    before: Mapping[str, bytes]
    reply: str
    after: Mapping[str, bytes]
    statuses: Mapping[str, str]


def of_cases(file: str) -> list[Sample]:
    """The samples of a case file."""
    samples = []
    for case in read(CASES / "apply_reply" / f"{file}.case"):
        (call,) = case.calls
        before, after = ({path: entry.content for path, entry in tree.items()} for tree in (case.before, call.tree))
        statuses = {block["id"]: _status(block) for block in call.expected.fields.get("blocks", [])}
        samples.append(Sample(case.title, before, call.arguments["reply"], after, statuses))
    return samples


def _status(block: Mapping[str, Any]) -> str:
    if block["status"] != "failed":
        return str(block["status"])
    return str(block["error"]["code"]) if "error" in block else "*"


def replies(file: str) -> dict[str, str]:
    """The replies of a case file, by the titles of their cases."""
    return {sample.name: sample.reply for sample in of_cases(file)}


def block(old: str, new: str, size: int = 7) -> str:
    """A SEARCH/REPLACE block with markers of some size."""
    return f"{'<' * size} SEARCH\n{old}{'=' * size}\n{new}{'>' * size} REPLACE\n"


def new_file(content: str, size: int = 7) -> str:
    """A NEW_FILE block."""
    return f"{'<' * size} NEW_FILE\n{content}{'>' * size} NEW_FILE\n"


def at(path: str, *blocks: str) -> str:
    """Blocks under the heading of their file, with an empty line between them."""
    return f"### File: {path}\n" + "\n".join(blocks)


def in_fence(text: str, fence: str = "```", info: str = "") -> str:
    return f"{fence}{info}\n{text}{fence}\n"


def all_applied(*ids: str) -> dict[str, str]:
    """The statuses of blocks that are all applied."""
    return dict.fromkeys(ids, "applied")


def applied_up_to(count: int) -> dict[str, str]:
    """The same for this many blocks, numbered from 1."""
    return all_applied(*(str(number) for number in range(1, count + 1)))


def sample_of(name: str, before: bytes, reply: str, after: bytes, *ids: str) -> Sample:
    """A sample of a single file `a.py`, all of whose blocks are applied."""
    return Sample(name, {"a.py": before}, reply, {"a.py": after}, all_applied(*(ids or ("1",))))


def v4a(body: str) -> str:
    """A patch of V4A."""
    return f"*** Begin Patch\n{body}*** End Patch\n"


SIMPLE = at("a.py", block("x = 1\n", "x = 2\n"))
OTHER = at("b.py", block("y = 1\n", "y = 2\n"))
TWO = {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}
CONFLICT = b"""\
a = 0
<<<<<<< HEAD
b = 1
=======
b = 2
>>>>>>> feature
c = 3
"""
NINE = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
REPEATED = b"begin\nsame\nend\n" * 5

# Many and long

MANY = Sample(
    "20 files and 10 edits of each",
    {
        f"src/module_{file}.ts": "".join(f"const value_{n} = {file + n};\n" for n in range(10)).encode()
        for file in range(20)
    },
    "\n".join(
        at(
            f"src/module_{file}.ts",
            *(
                block(f"const value_{n} = {file + n};\n", f"const value_{n} = compute({file + n});\n")
                for n in range(10)
            ),
        )
        for file in range(20)
    ),
    {
        f"src/module_{file}.ts": "".join(f"const value_{n} = compute({file + n});\n" for n in range(10)).encode()
        for file in range(20)
    },
    applied_up_to(200),
)
LONG_LINE = "const data = '" + "abcdefghij" * 1_000 + "';\n"
LONG_FILE = "".join(f"def function_{n}():\n    return {n}\n\n\n" for n in range(200))

LONG = [
    MANY,
    sample_of(
        "a line of 10,000 characters",
        f"before\n{LONG_LINE}after\n".encode(),
        at("a.py", block(LONG_LINE, LONG_LINE.replace("data", "other"))),
        f"before\n{LONG_LINE.replace('data', 'other')}after\n".encode(),
    ),
    sample_of(
        "a line of 10,000 characters is inserted",
        b"before\nafter\n",
        at("a.py", block("before\n", f"before\n{LONG_LINE}")),
        f"before\n{LONG_LINE}after\n".encode(),
    ),
    sample_of(
        "a file of 800 lines, edited at both ends and in the middle",
        LONG_FILE.encode(),
        at(
            "a.py",
            block("def function_0():\n    return 0\n", "def function_0():\n    return None\n"),
            block("def function_100():\n    return 100\n", "def function_100():\n    x = 100\n    return x\n"),
            block("def function_199():\n    return 199\n\n\n", "def function_199():\n    return -1\n"),
        ),
        LONG_FILE.replace("return 0\n", "return None\n")
        .replace("    return 100\n", "    x = 100\n    return x\n")
        .replace("return 199\n\n\n", "return -1\n")
        .encode(),
        "1",
        "2",
        "3",
    ),
    sample_of(
        "a block of 600 lines",
        LONG_FILE.encode(),
        at("a.py", block(LONG_FILE[: LONG_FILE.index("def function_150")], "# gone\n")),
        b"# gone\n" + LONG_FILE[LONG_FILE.index("def function_150") :].encode(),
    ),
    Sample(
        "a new file of 700 lines",
        {},
        at("big.py", new_file("".join(f"line_{n} = {n}\n" for n in range(700)))),
        {"big.py": "".join(f"line_{n} = {n}\n" for n in range(700)).encode()},
        all_applied("1"),
    ),
]

COMPLEX = of_cases("several_files_and_formats_land_in_one_reply")
SAMPLES = {
    sample.name: sample
    for samples in (
        of_cases("blocks_change_and_create_files"),
        of_cases("several_edits_of_a_file_land_in_any_order"),
        of_cases("an_empty_replacement_deletes"),
        of_cases("each_block_meets_the_result_of_those_before"),
        LONG,
        of_cases("special_characters_land_as_they_are"),
        of_cases("a_broken_block_changes_nothing_and_the_others_land"),
        of_cases("a_marker_in_the_content_moves_no_text"),
        of_cases("markers_and_fences_may_be_spelled_in_many_ways"),
        COMPLEX,
        of_cases("a_patch_of_v4a_lands"),
        of_cases("a_unified_diff_lands"),
        of_cases("what_fits_lands_beside_what_fails"),
    )
    for sample in samples
}

PATHS = replies("a_path_is_read_wherever_models_put_it")
"""The same block for `src/app.py`, with the path in all the places."""

NOTHING = replies("a_reply_without_blocks_is_refused")
"""Replies without any block."""


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def ask(ws: Workspace, reply: str, **more: Any) -> ToolResult:
    return ws.call("apply_reply", {"reply": reply, **more})


def statuses_of(result: ToolResult) -> dict[str, str]:
    """What became of each block: its status, or the code of its error."""
    blocks = result.metadata["blocks"]
    return {block["id"]: block["error"]["code"] if block["status"] == "failed" else block["status"] for block in blocks}
