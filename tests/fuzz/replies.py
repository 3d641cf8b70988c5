"""Models' replies in every format, and the small readers they consist of."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from suture.formats import Source, calls, file_names, find_reader, search_replace, thinking, unified, unread
from suture.formats.reply import ReplyParser, extract_paths, parse_reply
from suture.tools.reply import apply_blocks, preview_reply
from suture.wording.reply import validate_reply
from tests.fuzz.mutation import encode_words
from tests.fuzz.target import Choices, Target, as_text
from tests.property.test_reply import MARKERS
from tests.unit.formats.notations import ORDINARY, READ, TOLD, WHOLE
from tests.unit.tools.reply_samples import SAMPLES

if TYPE_CHECKING:
    from suture.formats.reply import Reply

_LINES = [" a", "-a", "+a", "a", "b", "  b", "\tc", "+", "-", " ", "x = 1\r", "\u2028", "def f():", "    return 1"]
WORDS = encode_words(
    MARKERS,
    _LINES,
    [f"{line}\n" for line in MARKERS],
    ["'", '"""', "<![CDATA[", "]]>", "&lt;", "&#", "&amp;amp;", "\\n", "\\u", "\\ud800", "EOF", "<<EOF", "sed -i 's/"],
    [
        f":start_line:{'9' * 5_000}",
        f"<<<<<<< SEARCH line={'9' * 5_000}",
        f"@@ -{'9' * 5_000} +1 @@",
        "python - <<",
        "python <<E",
        "cat > a.py <<EOF",
        "```bash",
        "$ ",
        "rm a.py",
        "Before:",
        "After:",
        "\u25cf Update(a.py)",
    ],
    ["a/b.py", "C:\\a.py", "./a.py", "http://a.b/c.py", "`a.py`", "**", "#" * 6, ": ", "1. ", "| a | b |", "..."],
)
SEEDS = [
    text.encode("utf-8", "surrogatepass")
    for text in (
        *(sample.reply for sample in SAMPLES.values() if len(sample.reply) < 3_000),
        *READ.values(),
        *WHOLE.values(),
        *(text for text, _ in TOLD.values()),
        *ORDINARY.values(),
    )
]


def _reply(data: bytes) -> object:
    options, text = data[-1] if data else 0, as_text(data)
    whole_files, default_path = bool(options & 1), "d.py" if options & 2 else None
    reply = parse_reply(text, default_path, whole_files=whole_files)
    _check(reply, text)
    parser = ReplyParser(default_path, whole_files=whole_files)
    random, at = Random(data), 0
    longest = random.choice((1, 20, 20_000)) if len(text) < 5_000 else 20_000
    while at < len(text):
        step = random.randrange(1, longest + 1)
        parser.feed(text[at : at + step])
        at += step
    parser.close()
    assert parser.reply == reply, "pieces of a reply give other blocks than the whole"
    validation = validate_reply(text)
    extract_paths(text)
    return [(block.format, block.action, block.problem) for block in reply][:6], len(reply.unread), validation.is_valid


def _check(reply: Reply, text: str) -> None:
    lines = text.count("\n") + 1
    for number, block in enumerate(reply, 1):
        assert block.number == number, "blocks are not numbered in order"
        assert 1 <= block.line <= block.end_line <= lines, "a block lies outside of the reply"
        assert block.chosen(block.ids) == block.ids, "a block's own ids do not choose it"
    for passage in reply.unread:
        assert 1 <= passage.line <= lines, "what was not read lies outside of the reply"


_FILES = {
    "a.py": "x = 1\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n",
    "b.py": "a\nb\n  b\n\tc\n" * 3,
    "src/c.md": "# é\r\ntext\r\n```\ncode\r\n```\r\n",
    "d.py": "",
}


def _apply(data: bytes) -> object:
    options, text = data[-1] if data else 0, as_text(data)
    match = "exact" if options & 4 else "lenient"
    preview = preview_reply(text, _FILES, match=match, default_path="b.py" if options & 2 else None, whole_files=True)
    reply = parse_reply(text)
    single = apply_blocks(_FILES["b.py"], reply.blocks, match)
    changed = any(outcome.status == "applied" for outcome in single.outcomes)
    assert changed or single.text == _FILES["b.py"], "a text changed though no block was applied"
    return [(outcome.status, outcome.block.format) for outcome in preview.outcomes][:6], sorted(preview.files)[:4]


def _lines(data: bytes) -> object:
    """Every function that looks at one line or a few."""
    text = as_text(data)
    above = file_names.LinesAbove()
    reader = thinking.Thinking()
    lines = text.split("\n")[:50]
    results: list[object] = []
    for line in lines:
        results += [
            file_names.path_after_label(line),
            file_names.path_on_line(line),
            file_names.path_in_info(line),
            file_names.parse_fence(line),
        ]
        results += [search_replace.marker(line), search_replace.path_after_marker(line), unified.hunk_header(line)]
        results += [file_names.is_announcement(line), file_names.is_excerpt(line)]
        (
            file_names.mentions(line),
            file_names.as_path(line),
            file_names.is_known(line),
            file_names.closes_fence(line, "```"),
        )
        calls.opening_tag(line), calls.tags(line), calls.has_other_names(line), calls.tool(line)
        thinking.tags(line), thinking.is_end(line), reader.read(line), unified.is_bare(line)
        above.add(line)
        above.certain_path, above.candidates  # noqa: B018  they may raise
    unified.split_of(lines)
    source = Source.of(text)
    results += [find_reader(source, at, doubtful=True) for at in range(len(source.lines[:50]))]
    unread.find_unread(source, range(len(source.lines)), (), ())
    return [result is None or result is False for result in results]


def _git_names(data: bytes) -> object:
    choices = Choices(data)
    keys = (
        "git",
        "---",
        "+++",
        "rename from",
        "rename to",
        "copy from",
        "new file",
        "deleted file",
        "old mode",
        "Index",
    )
    header = {choices.of(keys): as_text(choices.piece()) for _ in range(choices.number(6))}
    results = unified.heading(header), unified.problem_without_hunks(header, cut=choices.once_in(2))
    return str(results)[:40]


def _reply_in(name: str, lead: str, tail: str = "") -> Target:
    """Replies in one format, so that most of an input concerns it."""

    def run(data: bytes) -> object:
        return _reply(lead.encode() + data + tail.encode())

    return Target(f"reply in {name}", run, SEEDS, WORDS, seconds=6)


def _once(data: bytes) -> object:
    return len(parse_reply(as_text(data)))


TARGETS = [
    Target("reply once", _once, SEEDS, WORDS, seconds=4, most=120_000),
    Target("reply", _reply, SEEDS, WORDS, seconds=6),
    Target("reply applied", _apply, SEEDS, WORDS, seconds=5, most=8_000),
    Target("reply lines", _lines, SEEDS, WORDS, seconds=4),
    Target(
        "git names", _git_names, (), encode_words(["a/", "b/", '"a/\\303"', "\\t", "/dev/null", "\\", '"', "100644"])
    ),
    _reply_in("v4a", "*** Begin Patch\n*** Update File: a.py\n", "\n*** End Patch\n"),
    _reply_in("diff", "diff --git a/a.py b/a.py\n"),
    _reply_in("blocks", "SEARCH\n<<<<<<< SEARCH\n"),
    _reply_in("tags", "<invoke name='Edit'>\n", "\n</invoke>"),
    _reply_in("json", '{"path": "a.py", '),
    _reply_in("a fence", "```python a.py\n", "\n```"),
    _reply_in("thinking", "<think> "),
]
