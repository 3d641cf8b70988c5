"""Syntax of other languages by tree-sitter."""

from __future__ import annotations

from time import monotonic

from suture.check.blame import Suspect, View
from suture.check.issue import INVALID, Issue, NotRunError
from suture.records import Record
from suture.text.diff import changes, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import tree_sitter

    from suture.check.issue import Staging


class Grammar(Record):
    """A tree-sitter grammar: `function` of `module` returns it; `distribution` contains it."""

    module: str
    function: str = "language"

    @property
    def distribution(self) -> str:
        """The package to install."""
        return self.module.replace("_", "-")


class Language(Record):
    """A language: a text is valid if one of its `grammars` can parse it.

    `blocks` are pairs of words that open and close a block. If a language is not `trusted`, its grammar rejects
    some valid code.
    """

    name: str
    files: tuple[str, ...]
    grammars: tuple[Grammar, ...]
    trusted: bool = True
    blocks: tuple[tuple[str, str], ...] = ()
    without: tuple[str, ...] = ()
    """Endings of files that are not checked."""
    elements: bool = False
    """Whether it may contain elements as in HTML, whose names the grammar does not compare."""
    paired: bool = False
    """Whether brackets are paired in every valid text without a preprocessor."""
    unchecked: tuple[bytes, ...] = ()
    """Words of dialects that the grammar does not support: a text with one of them is not checked."""


def _end_words(*words: str) -> tuple[tuple[str, str], ...]:
    return tuple((word, "end") for word in words)


_C, _CPP, _OBJC = Grammar("tree_sitter_c"), Grammar("tree_sitter_cpp"), Grammar("tree_sitter_objc")
_TYPESCRIPT = "tree_sitter_typescript"
_NEWER = (b"export type *", b"<in ", b"<out ")  # since TypeScript 5.0, 4.7

LANGUAGES = (
    Language(
        "javascript",
        ("*.js", "*.mjs", "*.cjs", "*.jsx"),
        (Grammar("tree_sitter_javascript"),),
        elements=True,
        unchecked=(b"@flow",),  # with types
    ),
    Language(
        "typescript",
        ("*.ts", "*.mts", "*.cts"),
        (Grammar(_TYPESCRIPT, "language_typescript"),),
        without=(".d.ts", ".d.mts", ".d.cts"),  # generated, and full of types that the grammar does not know
        unchecked=_NEWER,
    ),
    Language("tsx", ("*.tsx",), (Grammar(_TYPESCRIPT, "language_tsx"),), elements=True, unchecked=_NEWER),
    Language("go", ("*.go",), (Grammar("tree_sitter_go"),)),
    Language("rust", ("*.rs",), (Grammar("tree_sitter_rust"),), unchecked=(b" safe fn ", b"\tsafe fn ")),  # since 1.82
    Language("java", ("*.java",), (Grammar("tree_sitter_java"),), unchecked=(b"import module ",)),  # since 25
    # A macro may expand to anything, and the preprocessor may cut a statement in two.
    Language("c", ("*.c",), (_C,), trusted=False, paired=True),
    Language("cpp", ("*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.hxx"), (_CPP,), trusted=False, paired=True),
    Language("header", ("*.h",), (_C, _CPP, _OBJC), trusted=False),
    # Conditional compilation in the middle of an expression; pointers.
    Language("csharp", ("*.cs",), (Grammar("tree_sitter_c_sharp"),), trusted=False, paired=True),
    Language(
        "ruby",
        ("*.rb", "*.rake", "*.gemspec", "Rakefile", "Gemfile"),
        (Grammar("tree_sitter_ruby"),),
        blocks=_end_words("def", "class", "module", "if", "unless", "while", "until", "case", "begin", "do", "for"),
    ),
    Language("php", ("*.php",), (Grammar("tree_sitter_php", "language_php"),), unchecked=(b"__halt_compiler",)),
    # Patterns in `[[ ]]`, numbers with a base, nested substitutions.
    Language(
        "bash",
        ("*.sh", "*.bash"),
        (Grammar("tree_sitter_bash"),),
        trusted=False,
        blocks=(("if", "fi"), ("case", "esac"), ("do", "done")),
    ),
    # Hacks for old browsers, and nested rules of new ones.
    Language("css", ("*.css",), (Grammar("tree_sitter_css"),), trusted=False, paired=True),
    # Templates, and a bare `>` in running text.
    Language(
        "html",
        ("*.html", "*.htm"),
        (Grammar("tree_sitter_html"),),
        trusted=False,
        unchecked=(b"<?xml", b"{%", b"<%", b"{{"),
    ),
    # `fun interface F { fun f() }` in one line, guards of `when`, context parameters.
    Language("kotlin", ("*.kt", "*.kts"), (Grammar("tree_sitter_kotlin"),), trusted=False, paired=True),
    # Attributes of the standard library, prefix operators, `sending`, `nonisolated(unsafe)`.
    Language("swift", ("*.swift",), (Grammar("tree_sitter_swift"),), trusted=False, paired=True),
    # Two styles of blocks, and an operator may have any name.
    Language("scala", ("*.scala", "*.sc"), (Grammar("tree_sitter_scala"),), trusted=False),
    Language(
        "lua",
        ("*.lua",),
        (Grammar("tree_sitter_lua"),),
        blocks=(*_end_words("function", "if", "do"), ("repeat", "until")),
    ),
    # Every database has words of its own.
    Language("sql", ("*.sql",), (Grammar("tree_sitter_sql"),), trusted=False),
    # Extensions, and the C preprocessor.
    Language("haskell", ("*.hs",), (Grammar("tree_sitter_haskell"),), trusted=False),
    Language("elixir", ("*.ex", "*.exs"), (Grammar("tree_sitter_elixir"),), blocks=_end_words("do", "fn")),
    # The language still changes from version to version.
    Language("zig", ("*.zig",), (Grammar("tree_sitter_zig"),), trusted=False, paired=True),
    # `a, = b`, and macros.
    Language(
        "julia",
        ("*.jl",),
        (Grammar("tree_sitter_julia"),),
        trusted=False,
        blocks=_end_words(
            *("function", "if", "for", "while", "begin", "let", "struct", "module", "do", "try", "quote", "macro")
        ),
    ),
    Language(
        "ocaml",
        ("*.ml",),
        (Grammar("tree_sitter_ocaml", "language_ocaml"),),
        without=(".cppo.ml",),
        unchecked=(b"\n#if",),  # preprocessed
    ),
    Language("hcl", ("*.tf", "*.hcl", "*.tfvars"), (Grammar("tree_sitter_hcl"),)),
    # Shell code occurs between, and conditions cut rules in two.
    Language("make", ("Makefile", "makefile", "GNUmakefile", "*.mk"), (Grammar("tree_sitter_make"),), trusted=False),
    Language("dockerfile", ("Dockerfile", "*.dockerfile"), (Grammar("tree_sitter_dockerfile"),), trusted=False),
    # Only perl can parse Perl.
    Language("perl", ("*.pl", "*.pm"), (Grammar("tree_sitter_perl"),), trusted=False),
    Language("dart", ("*.dart",), (Grammar("tree_sitter_dart"),)),
    # Attributes before parameters, lists of arguments.
    Language("powershell", ("*.ps1", "*.psm1"), (Grammar("tree_sitter_powershell"),), trusted=False),
    Language("nix", ("*.nix",), (Grammar("tree_sitter_nix"),), unchecked=(b"|>",)),  # still experimental
    Language("solidity", ("*.sol",), (Grammar("tree_sitter_solidity"),)),
)


MAX_ISSUES = 40  # in one text: later ones follow from the first
_CHUNK_BYTES = 1 << 12  # that a parser reads between two checks of the deadline
_MAX_REPAIR_SECONDS = 1.0  # by choice: repairs only improve the message;
_REPAIR_SHARE = 1 / 3  # and at most this share of the remaining time
_MAX_REPAIRS = 48  # tried, by choice: each parses the text again;
_MIN_REPAIRS = 6  # of a large text, at least the likeliest ones,
_MAX_REPAIR_BYTES = 1 << 21  # even if more bytes than this are parsed again
_MAX_UNDONE_CHARS = 12  # characters of a change shown as missing or unexpected: a longer one is not a slip
_LATE = "the time limit was reached while the text was parsed"
_loaded: dict[Grammar, tree_sitter.Language] = {}


class Syntax:
    """The syntax of one language."""

    syntax_codes = (INVALID,)
    sees_all = True
    max_characters_in_process = 0  # 1 KB made for it takes most grammars 50 ms and more, 4 KB 2 s and 600 MB

    def __init__(self, language: Language) -> None:
        self.name = language.name
        self.files = language.files
        self._language = language

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Where the syntax is broken, at most 40 places; none if one of the grammars can parse the text.

        For a language that is not trusted, errors are reported only if the grammar could parse the old text; in a new
        file, only a bracket or quote whose repair makes the text valid, or unpaired brackets. Otherwise the grammar may
        be wrong, and the text counts as not checked.
        """
        source = after.encode("utf-8", "replace")
        language = self._language
        if not source.strip():
            return []
        deadline = monotonic() + staging.seconds
        readings = []
        for grammar in language.grammars:
            reader = Reader(grammar, deadline)
            tree = reader.parse(source)
            if not tree.root_node.has_error:
                return _tag_mismatches(source, tree) if language.elements else []
            readings.append((reader, tree))
        odd = [word.decode().strip() for word in language.unchecked if word in source]
        if odd or path.endswith(language.without):
            what = f"it contains {odd[0]}, which" if odd else "what is in such files"
            raise NotRunError(f"{what} the grammar of {self.name} may not know")
        old = None if before is None else before.encode("utf-8", "replace")
        fitting = [] if old is None else [reading for reading in readings if reading[0].reads(old)]
        reader, tree = (fitting or readings)[0]
        view = View(source, tree, language.blocks, reader.check_time)
        faults: list[tuple[int, str]] = []
        if old is None or fitting or language.trusted:
            faults = _faults(reader, view, old if fitting else None, trusted=language.trusted)
        if not faults and old is None and language.paired and b"\n#" not in source and view.uneven():
            faults = _one_per_place(view.brackets()[:1])
        if not faults:
            raise NotRunError(f"the grammar of {self.name} cannot parse it, which may be the grammar's fault")
        lines = view.lines
        return [
            Issue("error", lines.number(at), lines.column(at), INVALID, message) for at, message in faults[:MAX_ISSUES]
        ]


class Reader:
    """Parses texts with a grammar, until a deadline of the monotonic clock."""

    def __init__(self, grammar: Grammar, deadline: float) -> None:
        language = _load(grammar)
        import tree_sitter

        self._parser = tree_sitter.Parser(language)
        self._deadline = deadline

    def parse(self, source: bytes) -> tree_sitter.Tree:
        """The tree; NotRunError if it is not done in time."""
        late = False
        text = source if source.endswith(b"\n") else source + b"\n"  # some grammars require it at the end of a line

        # The parser's `progress_callback` crashes the interpreter (0.26.0). Ending the text early stops it as well.
        def read(at: int, _: object) -> bytes:
            nonlocal late
            late = late or monotonic() > self._deadline
            return b"" if late else text[at : at + _CHUNK_BYTES]

        tree = self._parser.parse(read)
        if late:
            raise NotRunError(_LATE)
        return tree

    def reads(self, source: bytes) -> bool:
        """Whether a text has no error; False if there is no time to parse it."""
        try:
            return not self.parse(source).root_node.has_error
        except NotRunError:
            return False

    def check_time(self) -> None:
        """Raise NotRunError after the deadline."""
        if monotonic() > self._deadline:
            raise NotRunError(_LATE)

    def repair_deadline(self) -> float:
        """The deadline for repairs, which are optional."""
        now = monotonic()
        return now + min(_MAX_REPAIR_SECONDS, (self._deadline - now) * _REPAIR_SHARE)


def _faults(reader: Reader, view: View, before: bytes | None, *, trusted: bool) -> list[tuple[int, str]]:
    """The places to show: the one whose repair makes the text valid, or else all that the parser objects to."""
    suspects = view.suspects() if trusted or before is not None else view.pairs()
    hunk = None if before is None else _hunk(reader, before, view.source)
    if hunk is not None:
        start, end = view.behind(hunk[0]), hunk[1]
        brackets = [suspect for suspect in view.brackets() if start <= suspect.at <= end]
        others = [suspect for suspect in suspects if start <= suspect.at <= end and suspect not in brackets]
        suspects = [*brackets, *_undo_edit(view, *hunk), *others]
    tries = max(_MIN_REPAIRS, min(_MAX_REPAIRS, _MAX_REPAIR_BYTES // (len(view.source) + 1)))
    deadline = reader.repair_deadline()
    for suspect in suspects[:tries]:
        if monotonic() > deadline:
            break
        if (suspect.put or suspect.end > suspect.start) and reader.reads(_repair(view.source, suspect)):
            return [(suspect.at, suspect.message)]
    if before is None and not trusted:
        return []
    errors = view.errors()
    if hunk is not None:
        if suspects:
            return [(suspects[0].at, suspects[0].message)]
        seen = f"broken here, noticed in line {view.lines.number(errors[0].at)}: {errors[0].message}"
        return [(max(view.behind(hunk[1]), hunk[0]), seen)]
    return _one_per_place([*(view.brackets()[:1] if view.uneven() else []), *errors])


def _tag_mismatches(source: bytes, tree: tree_sitter.Tree) -> list[Issue]:
    """JSX elements that are closed by another name, which the grammar accepts."""
    if b"</" not in source:
        return []
    issues: list[Issue] = []
    stack = [tree.root_node]
    while stack and len(issues) < MAX_ISSUES:
        node = stack.pop()
        stack += reversed(node.children)
        if node.type != "jsx_element":
            continue
        first, last = node.child_by_field_name("open_tag"), node.child_by_field_name("close_tag")
        names = [None if tag is None else tag.child_by_field_name("name") for tag in (first, last)]
        opened, closed = (b"" if name is None else name.text or b"" for name in names)
        if opened != closed and last is not None:
            line, at = last.start_point
            column = len(source.split(b"\n")[line][:at].decode("utf-8", "replace")) + 1
            words = f"`</{closed.decode()}>` does not close the `<{opened.decode()}>` in line {node.start_point[0] + 1}"
            issues.append(Issue("error", line + 1, column, INVALID, words))
    return issues


def _one_per_place(errors: list[Suspect]) -> list[tuple[int, str]]:
    messages: dict[int, str] = {}
    for error in errors:
        messages.setdefault(error.at, error.message)
    return list(messages.items())


def _hunk(reader: Reader, before: bytes, after: bytes) -> tuple[int, int, bytes] | None:
    """The change that broke a valid text: where it starts and ends, and the old text there."""
    old, new = split_lines(before), split_lines(after)
    hunks = list(changes(old, new))
    while len(hunks) > 1:
        halves = hunks[: len(hunks) // 2], hunks[len(hunks) // 2 :]
        guilty = next((half for half in halves if reader.reads(_revert(old, new, half))), None)
        if guilty is None:
            return None
        hunks = guilty
    i, j, k, m = hunks[0]
    start = sum(map(len, new[:k]))
    return start, start + sum(map(len, new[k:m])), b"".join(old[i:j])


def _revert(old: list[bytes], new: list[bytes], hunks: list[tuple[int, int, int, int]]) -> bytes:
    parts, done = [], 0
    for i, j, k, m in hunks:
        parts += [*new[done:k], *old[i:j]]
        done = m
    return b"".join([*parts, *new[done:]])


def _undo_edit(view: View, start: int, end: int, old: bytes) -> list[Suspect]:
    """Suspect a change of a few characters, with its reversal as the repair."""
    removed, added = old.decode("utf-8", "replace"), view.source[start:end].decode("utf-8", "replace")
    shared = min(len(removed), len(added))
    same = next((at for at in range(shared) if removed[at] != added[at]), shared)
    tail = next((at for at in range(shared - same) if removed[-1 - at] != added[-1 - at]), shared - same)
    at = start + len(added[:same].encode())
    removed, added = removed[same : len(removed) - tail], added[same : len(added) - tail]
    if not added.strip() and 0 < len(removed.strip()) <= _MAX_UNDONE_CHARS:
        return [
            Suspect(view.behind(at) if view.lines.leads(at) else at, f"missing `{removed.strip()}`", start, end, old)
        ]
    if not removed.strip() and 0 < len(added.strip()) <= _MAX_UNDONE_CHARS:
        return [Suspect(at + len(added) - len(added.lstrip()), f"unexpected `{added.strip()}`", start, end, old)]
    return []


def _repair(source: bytes, suspect: Suspect) -> bytes:
    return source[: suspect.start] + suspect.put + source[suspect.end :]


def _load(grammar: Grammar) -> tree_sitter.Language:
    """The grammar's tables, loaded once. They are immutable, so threads can share them."""
    language = _loaded.get(grammar)
    if language is None:
        try:
            import warnings
            from importlib import import_module

            import tree_sitter

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # some wheels still return their tables as a number
                language = tree_sitter.Language(getattr(import_module(grammar.module), grammar.function)())
        except ImportError:
            raise NotRunError(f"{grammar.distribution} is not installed: pip install 'suture[syntax]'") from None
        except (AttributeError, ValueError) as error:
            message = f"{grammar.distribution} does not fit tree-sitter: pip install -U 'suture[syntax]' ({error})"
            raise NotRunError(message) from None
        _loaded[grammar] = language
    return language
