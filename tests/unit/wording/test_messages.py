from typing import Any

import pytest

from docs.making.errors import error_groups, sample
from suture import errors, wording
from suture.audience import MODEL
from suture.files.recovery import Recovered
from suture.plan import Trouble
from suture.shapes import (
    CorrectedEdit,
    Findings,
    FoundIssue,
    KnownClipboard,
    MatchLocation,
    NamedDifference,
    SimilarContent,
    UndoClash,
    UnreadEdit,
    WrittenOn,
    json_value,
)
from suture.wording import edits, messages

LONG = "a line\n" * 20


def conflict(**sides: Any) -> UndoClash:
    return UndoClash(path="x", line=3, **sides)


WHERE: dict[str, Any] = {"index": 1, "total": 2, "path": "x"}
STALE: dict[str, Any] = {"start_line": 3, "end_line": 40, "text": LONG}
REPLACED: Any = {**STALE, "change_id": "y"}
CHANGED: Any = {**STALE, "change_id": None}
NEAR: Any = {**STALE, "score": 0.5, "symbol": "Order.total", "differences": ["line 3: said"] * 9}
READ = WrittenOn(source="read", id=None, until=None)
COMMIT = WrittenOn(source="commit", id="a" * 40, until="b" * 40)
EDIT: dict[str, Any] = {
    "path": "x",
    "edit_index": 1,
    "total_edits": 2,
    "search_text": LONG,
    "expected_occurrences": 1,
    "file_preview": None,
}
MISSED: dict[str, Any] = {
    **EDIT,
    "why": "missing",
    "rung": None,
    "similar_content": [],
    "indent": {"style": "spaces", "width": 4},
}
DIFFERING = NamedDifference(type="content", name="word", expected="a", found="b", line_number=3, description="said")
LIKE = SimilarContent(
    line_number=3, content=LONG, similarity_score=0.5, symbol="Order.total", differences=[DIFFERING] * 9
)
HIT = MatchLocation(line_number=3, column_start=1, column_end=2, line_content=LONG, symbol="load")
UNREAD = [UnreadEdit(line=3, kind="call", path="a.py", edits=True, message="Line 3 seems to be a call")]
ON_THE_PAGE = [sample(kind) for kinds in error_groups().values() for kind in kinds]
"""An example of each error, as docs/reference/errors.md has it."""
SAMPLES: list[errors.SutureError] = [
    errors.InvalidArguments(problems=[{"argument": str(number), "problem": "wrong"} for number in range(10)]),
    errors.ReadFailed(path="", reason="Input/output error", errno=5),
    errors.PatternNotFound(path="a.py", search="x", exists=True, near=[], details=["Most like it: y"]),
    errors.UnknownTool(name="x", near=[], known=["file_read"]),
    errors.UnknownTool(name="x", near=["file_read"], known=["file_read"]),
    errors.InputTooLarge(what="The request", size=11, limit=10, setting="max_request_bytes"),
    errors.ProtectedPath(path=".git/config", rule=".git/**"),
    errors.FileNotFound(path="x", near=[]),
    errors.FileNotFound(path="x", near=["y", "z"]),
    errors.FileNotFound(path="x", near=[], create_by=["overwrite", "append_eof"]),
    errors.RangeOutOfBounds(path="x", start_line=9, end_line=None, total_lines=1),
    errors.RangeOutOfBounds(path="x", start_line=3, end_line=2, total_lines=0),
    errors.EncodingUnknown(character="é", candidates=["latin-1"]),
    errors.EncodingUnknown(character="é", candidates=[]),
    errors.FileChanged(path="x", expected="sha256:0", found="sha256:1"),
    errors.FileChanged(path="x", expected=None, found="sha256:1"),
    errors.FileChanged(path="x", expected="sha256:0", found=None),
    errors.FileChanged(path="x", expected="sha256:0", found="sha256:1", changed_lines="@@ -1 +1 @@\n-a\n+b\n"),
    errors.FileChanged(path="x", expected="sha256:0", found="sha256:1", changed_lines="@@ -1,40 +1 @@\n" + "-a\n" * 40),
    errors.HistoryDamaged(what="change", name="537kv5vq5dnk6gp"),
    errors.HistoryDamaged(what="change", name="537kv5vq5dnk6gp", path="x"),
    errors.HistoryDamaged(what="content", name="sha256:0", path="x"),
    errors.HistoryDamaged(what="checkpoint", name="before lunch"),
    errors.HistoryDamaged(what="clipboard", name="main"),
    errors.ChangeNotFound(change_id="x", candidates=[]),
    errors.ChangeNotFound(change_id="x", candidates=["x1", "x2"]),
    errors.ChangeNotFound(change_id="x", candidates=[], checkpoints=["before lunch"]),
    errors.NothingToRedo(change_id=None),
    errors.NothingToRedo(change_id="x"),
    errors.UndoConflict(change_id="x", conflicts=[conflict(base="1\n", ours="2\n", theirs=None)], later=[]),
    errors.UndoConflict(change_id="x", conflicts=[conflict(base="", ours=None, theirs="d\ne\n")], later=["y"]),
    errors.UndoConflict(
        change_id="x", conflicts=[conflict(base=LONG, ours=LONG, theirs=LONG)] * 3, later=["y", "z"], operation="redo"
    ),
    errors.NoMatch(**MISSED),
    errors.NoMatch(
        **{**MISSED, "why": "found", "rung": "similar", "similar_content": [LIKE] * 3},
        correction=CorrectedEdit(old_text=LONG, new_text=LONG * 50, start_line=3, end_line=40),
    ),
    errors.NoMatch(**MISSED, applied={"start_line": 3, "end_line": 40, "change_id": "y"}),
    errors.NoMatch(**MISSED, stale=REPLACED),
    errors.NoMatch(**{**MISSED, "why": "deleted", "rung": "rebased"}, stale=CHANGED, written_on=COMMIT),
    errors.NoMatch(**{**MISSED, "why": "ambiguous", "rung": "exact", "similar_content": [LIKE] * 2}),
    errors.NoMatch(
        **{**MISSED, "why": "conflict"}, sides={"line": 3, "base": LONG, "ours": LONG, "theirs": LONG}, detail="differs"
    ),
    errors.WrongCount(**EDIT, actual_occurrences=40, match_locations=[HIT] * 40, unique=[]),
    errors.WrongCount(**{**EDIT, "expected_occurrences": 2}, actual_occurrences=1, match_locations=[HIT], unique=[]),
    errors.OldTextNotFound(index=0, total=1, path="x", match="exact", search_text=LONG, nearest=[]),
    errors.OldTextNotFound(
        **WHERE,
        match="exact",
        search_text=LONG,
        nearest=[NEAR] * 3,
        rung="indentation",
        stale=REPLACED,
    ),
    errors.OldTextNotFound(**WHERE, match="lenient", search_text="", nearest=[NEAR], stale=CHANGED),
    errors.OldTextNotFound(**WHERE, match="lenient", search_text=LONG, nearest=[], depends_on=1),
    errors.OldTextNotFound(
        **WHERE,
        match="exact",
        search_text=LONG,
        nearest=[NEAR],
        attempt=2,
        region={"start_line": 3, "end_line": 4, "text": "a\nb"},
    ),
    errors.OldTextNotFound(
        **WHERE, match="exact", search_text=LONG, nearest=[], attempt=2, words={"there": [], "missing": ["a"]}
    ),
    errors.OldTextNotUnique(
        **WHERE, rung="exact", places=[], search_text=LONG, attempt=2, unique=[{"line_number": 3, "old_text": "x"}]
    ),
    errors.OldTextNotUnique(**WHERE, rung="exact", places=[{"start_line": 1, "end_line": 2}] * 40, search_text=LONG),
    errors.OldTextNotUnique(**WHERE, rung="new_rung", places=[{"start_line": 1, "end_line": 1}] * 2, search_text="x"),
    errors.AlreadyApplied(**WHERE, start_line=1, end_line=3, search_text=LONG),
    errors.AlreadyApplied(**WHERE, start_line=1, end_line=3, search_text=LONG, change_id="y"),
    errors.PartlyApplied(**WHERE, start_line=1, end_line=30, text=LONG, search_text=LONG),
    errors.EditConflict(**WHERE, line=3, base=LONG, ours=LONG, theirs="", detail="", search_text=LONG),
    errors.EditConflict(
        **WHERE, line=3, base=LONG, ours=LONG, theirs=LONG, detail="changed_since", search_text=LONG, written_on=READ
    ),
    errors.TargetDeleted(**WHERE, start_line=3, end_line=40, text=LONG, written_on=READ, search_text=LONG),
    errors.TargetDeleted(**WHERE, start_line=3, end_line=3, text="", written_on=COMMIT, search_text="x"),
    errors.ElisionInNewText(**WHERE, search_text=LONG),
    errors.ElisionInNewText(**WHERE, search_text="", operation="overwrite", marker="\t# ... rest " + "x" * 500),
    errors.UnprovedChange(
        **WHERE, rung="similar", start_line=1, end_line=30, text=LONG, detail="no_rule", search_text=LONG
    ),
    errors.UnprovedChange(**WHERE, rung="similar", start_line=1, end_line=1, text="", detail="", search_text="x"),
    errors.ClipboardNotFound(index=0, total=1, name="x", known=[], origins=[]),
    errors.ClipboardNotFound(index=0, total=1, name="x", known=[], origins=[], short_lived=True),
    errors.ClipboardNotFound(
        index=0,
        total=1,
        name="x",
        known=[str(number) for number in range(20)],
        origins=[
            KnownClipboard(
                name=str(number),
                path="a.py",
                start_line=1,
                end_line=number,
                part=number == 1,
                change_id="537kv5vqd0mc0wr" if number % 2 else None,
                time="" if number % 3 else "2026-11-02T10:15:00.000Z",
            )
            for number in range(20)
        ],
    ),
    errors.StripPreconditionFailed(index=0, total=1, line_number=3, line="x" * 500, prefix="\t"),
    errors.InputTooLarge(what="The workspace", size=3, limit=2, setting="max_clipboards", unit="clipboards"),
    errors.InputTooLarge(what="The request", size=3, limit=2, setting="", unit="values"),
    errors.NotRecorded(path="x", near=[]),
    errors.NotRecorded(path="x", near=["y"]),
    errors.InvalidRegex(pattern="a(", reason="Unmatched '('", position=1),
    errors.InvalidRegex(pattern="a++", reason="Nothing to repeat", position=2, advice="Write a+"),
    errors.RegexTimeout(pattern="(a+)+" * 500, path="x", timeout_ms=1_000, setting="regex_file_ms"),
    errors.InvalidGlob(pattern="src/[**", reason="a bracket is not closed"),
    errors.NoFilesMatched(pattern="*.xyz"),
    errors.NoFilesMatched(pattern="src", hidden_by="src is a folder"),
    errors.InvalidCaptureGroup(reference="$5", groups=2, names=[]),
    errors.InvalidCaptureGroup(reference="${x}", groups=1, names=["y"]),
    errors.TooManyReplacements(found=1_000, limit=500),
    errors.TooManyReplacements(found=1_000, limit=500, setting="max_replacements"),
    errors.NoBlocks(fenced=[], characters=3),
    errors.NoBlocks(fenced=["a.py"], characters=3),
    errors.NoBlocks(fenced=[], characters=3, unread=UNREAD),
    errors.NoBlocks(fenced=[], characters=3, unread=UNREAD * 4),
    errors.UnreadEdits(unread=UNREAD, landed=["1"]),
    errors.UnreadEdits(unread=UNREAD * 4, landed=[]),
    errors.BlocksFailed(failed=["2", "3.1"], landed=["1"], total=3),
    errors.BlocksFailed(failed=["2"], landed=[], total=2),
    *(
        errors.IncompleteBlock(problem=problem, reply_line=7, format="search_replace", path=path)
        for problem in ("no_start", "no_separator", "no_end", "empty", "not_a_hunk", "partial", "other")
        for path in (None, "a.py")
    ),
    errors.AmbiguousBlock(path="a.py", reply_line=7, readings=[{"old": "a", "new": "b"}] * 2),
    errors.AmbiguousBlock(path="a.py", reply_line=7, readings=[{"old": "a", "new": "b"}]),
    errors.AmbiguousBlock(path="a.py", reply_line=7, readings=[], ends=[9, 12]),
    errors.NoContext(path="a.py", context=[]),
    errors.NoContext(path="a.py", context=["class A:"]),
    errors.OutOfScope(path="a.py", context=["class A:", "def run(self):"], exists=False, places=[]),
    errors.OutOfScope(
        path="a.py",
        context=["x" * 500],
        exists=True,
        places=[{"start_line": 3, "end_line": 40, "symbol": "Order.total"}] * 40,
    ),
    errors.UnsupportedBlock(path="a.png", problem="binary"),
    errors.UnsupportedBlock(path=None, problem="not_a_file"),
    errors.ValidationFailed(
        files=["a.py"],
        validation=Findings(
            passed=False,
            new=[
                FoundIssue(
                    path="a.py",
                    line=1,
                    column=2,
                    severity="error",
                    code="F821",
                    message="no",
                    validator="python",
                    source="x",
                )
            ],
            existing=[],
            fixed=[],
            not_run=[],
        ),
        diff="",
    ),
]


def test_every_error_code_has_words_and_every_word_a_code() -> None:
    codes = {
        kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.SutureError)
    }
    assert set(messages.MESSAGES) == codes, "write the words in wording/messages.py or wording/edits.py"


@pytest.mark.promise("teach.data")
@pytest.mark.parametrize("error", [*ON_THE_PAGE, *SAMPLES], ids=lambda error: error.code)
def test_an_error_is_reported_as_data_and_in_a_few_lines(error: errors.SutureError) -> None:
    data = wording.error_data(error)
    assert list(data)[:4] == ["code", "message", "hint", "retryable"]
    assert {name: data[name] for name in error.fields()} == {
        name: json_value(value) for name, value in error.fields().items()
    }
    text = wording.error_text(error)
    if error.code in edits.EDIT_TEXTS:
        assert text.startswith(data["message"])  # the specification has the rest
        assert data["hint"].startswith("Nothing was changed.")
    else:
        assert text == "\n".join([f"{error.code}: {data['message']}", *wording.details(error), data["hint"]])
    assert len(text.splitlines()) <= (20 if error.code in edits.EDIT_TEXTS else 15)
    assert data["hint"].endswith((".", "?"))


def test_a_recovery_is_reported_with_its_direction_and_what_was_put_aside() -> None:
    back = Recovered("id1", "back", ("a",), ("a.suture-orig",))
    assert wording.recovered_text(back) == (
        "An interrupted transaction (id1, 1 path) has been rolled back. "
        "Some files had changed since; what could not be put back is in a.suture-orig."
    )
    forward = Recovered("id2", "forward", ("a", "b"), ())
    assert wording.recovered_text(forward) == "An interrupted transaction (id2, 2 paths) was complete and has landed."
    unknown = Recovered("id3", "unknown", (), ("suture-id3-0.suture-orig",))
    assert wording.recovered_text(unknown) == (
        "A power cut interrupted change id3; its temporary files were removed. Check recent edits. "
        "The old content of files that it replaced or deleted is in suture-id3-0.suture-orig."
    )
    assert wording.recovered_data(forward) == {"id": "id2", "direction": "forward", "files": ["a", "b"], "aside": []}


def test_an_error_of_an_edit_repeats_one_line_of_what_was_sent_and_names_the_edit() -> None:
    for error in SAMPLES:
        if "search_text" in error.fields():
            text, fields = wording.error_text(error), vars(error)
            named = f"patches[{fields['index']}]" if "index" in fields else f"Edit {fields['edit_index'] + 1} of 2"
            assert named in text


def test_the_place_of_a_patch_is_reported_in_words() -> None:
    assert [wording.span(3, 3), wording.span(3, 5)] == ["line 3", "lines 3-5"]
    assert [wording.how_matched(rung) for rung in ("exact", "similar", "new_rung")] == [
        "exactly",
        "by similarity",
        "by new rung",
    ]


GIT, UNTIL = "a" * 40, "b" * 40
VERSIONS: list[tuple[Any, str, str]] = [
    (WrittenOn(source="read", id=None, until=None), "the version you read", "a later change"),
    (WrittenOn(source="read", id="one", until=None), "the version you read", "a later change"),
    (WrittenOn(source="read", id="one", until="two"), "the version you read", "change two"),
    (WrittenOn(source="history", id="one", until="two"), "change one", "change two"),
    (WrittenOn(source="history", id="one", until=None), "change one", "a later change"),
    (WrittenOn(source="history", id=None, until="two"), "the version before change two", "change two"),
    (WrittenOn(source="history", id=None, until=None), "an earlier version", "a later change"),
    (WrittenOn(source="index", id=None, until=None), "the version in git's index", "a later change"),
    (WrittenOn(source="head", id=GIT, until=None), "commit aaaaaaaaaaaa (HEAD)", "a later change"),
    (WrittenOn(source="commit", id=GIT, until=UNTIL), "commit aaaaaaaaaaaa", "commit bbbbbbbbbbbb"),
]


@pytest.mark.parametrize(("version", "named", "removed"), VERSIONS)
def test_the_version_that_a_text_was_written_on_is_named_in_words(version: Any, named: str, removed: str) -> None:
    where: dict[str, Any] = {"index": 0, "total": 1, "path": "x", "search_text": "was"}
    deleted = errors.TargetDeleted(**where, start_line=3, end_line=3, text="now", written_on=version)
    evidence = f"It is in {named}; {removed} removed it." if removed not in named else "Change two removed it."
    assert wording.message(deleted) == f"patches[0]: oldText is no longer in x: was. {evidence}"
    assert wording.details(deleted) == ["Line 3 now:", "         3  now"]
    sides: dict[str, Any] = {"line": 3, "base": "was", "ours": "is", "theirs": "shall be"}
    conflict = errors.EditConflict(**where, **sides, detail="changed_since", written_on=version)
    assert f"oldText is from {named}; x:3 has changed" in wording.message(conflict)
    assert wording.details(conflict) == ["  in oldText:  was", "  in the file: is", "  in newText:  shall be"]
    block = MODEL.about_block()
    assert wording.message(conflict, block) == f"The text is from {named}; x:3 has changed since."
    assert wording.details(conflict, block)[0] == "  in the text:     was"


def test_the_nearest_places_are_reported_with_what_they_are_in_and_how_they_differ() -> None:
    where: dict[str, Any] = {"index": 0, "total": 1, "path": "x", "match": "lenient", "search_text": "was"}
    near: Any = {"start_line": 3, "end_line": 4, "score": 0.875, "symbol": "Order.total", "text": "is\nso"}
    near["differences"] = ["line 3: one", "line 4: two", "line 4: three"]
    other: Any = {"start_line": 9, "end_line": 9, "score": 0.5, "symbol": "", "text": "else", "differences": []}
    error = errors.OldTextNotFound(**where, nearest=[near, other, other])
    assert wording.details(error) == [
        "  Closest match (88%) at lines 3-4 in Order.total:",
        "         3  is",
        "         4  so",
        "    line 3: one",
        "    line 4: two",
        "  Closest match (50%) at line 9:",
        "         9  else",
    ]


@pytest.mark.parametrize(
    ("exists", "places", "parts"),
    [
        (False, [], ["names class Bill: / def net(total):, which is not in a.py"]),
        (
            False,
            [{"start_line": 3, "end_line": 4, "symbol": "gross"}],
            ["names class Bill: / def net(total):, which is not in a.py", "lines 3-4 in gross"],
        ),
        (True, [], ["def net(total):, which does not contain the hunk's lines in a.py"]),
        (
            True,
            [{"start_line": 3, "end_line": 4, "symbol": "gross"}, {"start_line": 9, "end_line": 9, "symbol": ""}],
            ["def net(total):, which does not contain the hunk's lines in a.py", "lines 3-4 in gross, line 9"],
        ),
    ],
)
def test_a_hunk_that_names_something_else_is_reported_where_its_lines_are(
    places: Any, parts: list[str], *, exists: bool
) -> None:
    context = ["class Bill:", "def net(total):"]
    message = wording.message(errors.OutOfScope(path="a.py", context=context, exists=exists, places=places))
    assert [part in message for part in parts] == [True] * len(parts), message
    assert ("lines were found at" in message) is bool(places)


def test_a_patch_is_named_by_its_index_and_by_its_number_where_there_are_several() -> None:
    for index, total, words in (
        (0, 1, ""),
        (0, 2, " (the 1st of 2)"),
        (2, 4, " (the 3rd of 4)"),
        (11, 99, " (the 12th"),
    ):
        text = wording.message(errors.MissingOldText(index=index, total=total))
        assert text.startswith(f"patches[{index}]{words}")
    overlap = errors.OverlappingPatches(path="x", first=0, second=21, first_lines=(1, 2), second_lines=(2, 2), total=22)
    assert wording.message(overlap) == (
        "patches[0] (the 1st of 22, lines 1-2) and patches[21] (the 22nd of 22, line 2) replace the same text of x."
    )


@pytest.mark.parametrize(
    ("sent", "words"),
    [("one", "one"), (" one\n", "one"), ("\n one\ntwo\n", "one … (3 lines)"), ("a\nb", "a … (2 lines)")],
)
def test_what_was_not_found_is_reported_by_its_first_line_and_their_number(sent: str, words: str) -> None:
    error = errors.OldTextNotFound(index=0, total=1, path="x", match="exact", search_text=sent, nearest=[])
    assert wording.message(error) == f"patches[0]: oldText was not found in x: {words}"


def test_a_file_that_is_not_there_is_reported_with_the_way_to_create_it() -> None:
    error = errors.FileNotFound(path="x", near=["y"], create_by=["overwrite", "append_eof"])
    assert wording.hint(error) == "Did you mean y? To create it, use overwrite or append_eof."


def test_a_conflict_is_reported_with_every_side_or_that_there_is_none() -> None:
    sides = [conflict(base="left\n", ours=None, theirs=""), conflict(base=None, ours="\x1b[31m\n", theirs="y" * 500)]
    text = wording.message(errors.UndoConflict(change_id="id1", conflicts=sides, later=[]))
    quoted = [line.partition(":")[2].strip() for line in text.split("\n") if line.startswith("    ")]
    assert quoted == ["left", "(no file)", "(nothing)", "(no file)", "\\x1b[31m", "y" * 120]


def test_trouble_with_the_history_is_reported_as_data_and_in_words() -> None:
    lost = Trouble(recorded=False, reason="another program has locked it")
    assert wording.trouble_data(lost) == {"recorded": False, "reason": "another program has locked it", "aside": None}
    assert wording.trouble_text(lost) == (
        "This change cannot be undone: the history cannot be used, another program has locked it."
    )
    damaged = Trouble(recorded=True, reason="it was damaged", aside="x.db.damaged-1")
    assert wording.trouble_text(damaged) == (
        "The history was damaged; it is kept as x.db.damaged-1. Earlier changes cannot be undone."
    )


def test_a_deleted_text_of_an_unknown_version_is_reported_as_well() -> None:
    where: dict[str, Any] = {"index": 0, "total": 1, "path": "x", "search_text": "was"}
    deleted = errors.TargetDeleted(**where, start_line=3, end_line=3, text="now", written_on=None)
    assert wording.message(deleted) == (
        "patches[0]: oldText is no longer in x: was. It was in an earlier version of the file."
    )
