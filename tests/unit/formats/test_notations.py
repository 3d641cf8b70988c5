"""Every way to write an edit, beside a good block: it is read or reported; ordinary text is neither."""

import pytest

from suture import Workspace, parse_reply, preview_reply, validate_reply
from suture.formats import NOTATIONS
from suture.formats.reply import Reply, ReplyParser
from suture.shapes import UNREAD_KINDS
from suture.tools.reply import Preview
from tests.unit.formats.notations import CREATED, ORDINARY, READ, TOLD, WHOLE

GOOD = "### File: good.py\n<<<<<<< SEARCH\ny_old\n=======\ny_new\n>>>>>>> REPLACE\n\n"
FILES = {"good.py": "y_old\n", "a.py": "x = 1\n"}
BOTH = {"good.py": "y_new\n", "a.py": "x = 2\n"}
ALONE = {"good.py": "y_new\n"}
EVERY = {**READ, **WHOLE, **CREATED, **{name: text for name, (text, _) in TOLD.items()}, **ORDINARY}


def beside_block(text: str) -> str:
    return f"{GOOD}{text.rstrip()}\n\nThat is all.\n"


def read_and_preview(text: str, *, whole_files: bool = False) -> tuple[Reply, Preview]:
    reply = beside_block(text)
    return parse_reply(reply, whole_files=whole_files), preview_reply(reply, FILES, whole_files=whole_files)


def test_there_are_enough_notations() -> None:
    assert len(READ) + len(WHOLE) + len(TOLD) >= 150
    assert len(ORDINARY) >= 40


def test_every_notation_has_an_example() -> None:
    examples = {**READ, **WHOLE, **CREATED}.values()
    formats = {block.format for text in examples for block in parse_reply(text, whole_files=True)}
    assert formats == set(NOTATIONS), "give the notation an example in tests/unit/formats/notations.py"


@pytest.mark.promise("reply.nothing-silent")
@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_exact_notations_are_read_and_applied(text: str) -> None:
    reply, preview = read_and_preview(text)
    assert (preview.files, reply.unread) == (BOTH, ())
    assert preview.validation.is_valid


@pytest.mark.promise("reply.nothing-silent")
@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_whole_files_are_written_if_asked_for_and_reported_otherwise(text: str) -> None:
    reply, preview = read_and_preview(text, whole_files=True)
    assert (preview.files, reply.unread) == (BOTH, ())
    reply, preview = read_and_preview(text)
    assert [(passage.kind, passage.path, passage.edits) for passage in reply.unread] == [("file", "a.py", True)]
    assert (preview.files, preview.validation.is_valid) == (ALONE, False)


@pytest.mark.parametrize("text", CREATED.values(), ids=CREATED)
def test_a_new_file_is_created(text: str) -> None:
    reply, preview = read_and_preview(text)
    assert (preview.files, reply.unread) == (ALONE | {"b.py": "x = 2\n"}, ())


@pytest.mark.promise("reply.nothing-silent")
@pytest.mark.parametrize(("text", "kind"), TOLD.values(), ids=TOLD)
def test_what_is_not_read_is_reported(text: str, kind: str) -> None:
    reply, preview = read_and_preview(text)
    (unread,) = reply.unread
    assert (unread.kind, unread.edits) == (kind.rstrip("?"), not kind.endswith("?"))
    assert unread.path in ({"a.py", "src/*.py"} if unread.edits else {"a.py", "b.py", "good.py", None})
    first = GOOD.count("\n")
    assert first < unread.line <= first + text.rstrip().count("\n") + 1
    assert [block.path for block in reply if not block.problem] == ["good.py"]
    assert preview.files == ALONE
    assert preview.validation.is_valid == (not unread.edits)


@pytest.mark.promise("reply.nothing-silent")
@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_text_is_neither_read_nor_reported(text: str) -> None:
    reply, preview = read_and_preview(text)
    assert (len(reply), reply.unread, preview.files) == (1, (), ALONE)
    assert (preview.validation.errors, preview.validation.warnings) == ([], [])


def test_every_kind_has_words() -> None:
    passages = {passage.kind: passage for text, _ in TOLD.values() for passage in read_and_preview(text)[0].unread}
    passages |= {passage.kind: passage for text in WHOLE.values() for passage in read_and_preview(text)[0].unread}
    assert set(passages) == set(UNREAD_KINDS)
    for kind, (text, _) in {kind: TOLD[name] for name, kind in _FIRST.items()}.items():
        validation = validate_reply(beside_block(text))
        assert len(validation.errors) + len(validation.warnings) == len(validation.unread), kind


_FIRST = {"YAML": "fields", "a sentence": "sentence", "cat": "heredoc", "rm": "shell", "a fence with a path": "fenced"}


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 7])
def test_a_notation_in_pieces_is_the_same(step: int) -> None:
    for name, text in EVERY.items():
        for whole_files in (False, True):
            reply = beside_block(text)
            parser = ReplyParser(whole_files=whole_files)
            blocks = [block for at in range(0, len(reply), step) for block in parser.feed(reply[at : at + step])]
            blocks += parser.close()
            whole = parse_reply(reply, whole_files=whole_files)
            assert (name, tuple(blocks), parser.reply) == (name, whole.blocks, whole)


def test_nothing_is_reported_before_the_reply_is_complete() -> None:
    parser = ReplyParser()
    parser.feed(beside_block(TOLD["sed"][0]))
    assert not parser.reply.unread
    parser.close()
    assert [passage.kind for passage in parser.reply.unread] == ["shell"]


@pytest.mark.parametrize("name", ["YAML", "a sentence", "cat", "JSON with single quotes", "backslashes"])
def test_thinking_is_not_reported(name: str) -> None:
    assert parse_reply(f"<think>\n{TOLD[name][0]}\n</think>\n{GOOD}").unread == ()


def test_several_edits_are_reported_one_by_one() -> None:
    text = "- path: a.py\n  old: x\n  new: y\n- path: c.py\n- path: b.py\n  old: x\n  new: y\n"
    assert [(passage.line, passage.path) for passage in parse_reply(text).unread] == [(1, "a.py"), (5, "b.py")]
    text = '{"path": "a.py", "old_str": "x"}\n<edit path="b.py">\n<old_str>x</old_str>\n</edit>\n'
    assert [(passage.line, passage.path) for passage in parse_reply(text).unread] == [(1, "a.py"), (2, "b.py")]


@pytest.mark.parametrize("command", ["python <<", "python3 - << ", "$ python <<"])
def test_a_here_document_needs_a_delimiter(command: str) -> None:
    assert parse_reply(f"```bash\n{command}\n```\n").unread == ()


def test_here_documents_with_the_same_delimiter_end_separately() -> None:
    text = "```bash\npython - <<E\npython - <<E\nprint(1)\nE\npython - <<E\nopen('a.py', 'w').write('')\nE\n```\n"
    assert [(passage.line, passage.kind) for passage in parse_reply(text).unread] == [(6, "shell")]


def test_after_many_calls_without_an_end_only_short_ones_are_reported() -> None:
    call = '{{"path": "a.py",\n{}"old_str": "x"\n}}\n'
    for lines, expected in ((5, [241]), (50, [])):
        text = "{\n\n" * 120 + call.format("\n".join([""] + ['"a": 1,'] * lines + [""]))
        assert (lines, [passage.line for passage in parse_reply(text).unread]) == (lines, expected)


def test_a_notation_without_other_blocks_is_reported() -> None:
    for name, (text, kind) in TOLD.items():
        kinds = [passage.kind for passage in parse_reply(f"{text.rstrip()}\n").unread]
        assert (name, kinds) == (name, [kind.rstrip("?")])


def test_a_workspace_reports_the_same(tmp_path: object) -> None:
    root = f"{tmp_path}"
    for name, content in FILES.items():
        with open(f"{root}/{name}", "w", encoding="utf-8") as file:  # noqa: PTH123  as short as it can be
            file.write(content)
    result = Workspace(root).apply_reply(beside_block(TOLD["cat"][0]), dry_run=True)
    assert (result.is_error, result.metadata["error"]["code"]) == (True, "UNREAD_EDITS")
