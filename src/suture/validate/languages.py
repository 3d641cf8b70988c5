"""Languages whose syntax can be checked: the wheel of each grammar, and the files it is for."""

from __future__ import annotations

from suture.records import Record


class Grammar(Record):
    """A tree-sitter grammar: `function` of `module` gives it, `distribution` brings it."""

    module: str
    function: str = "language"

    @property
    def distribution(self) -> str:
        """What to install."""
        return self.module.replace("_", "-")


class Language(Record):
    """A language: a text is right if one of its `grammars` reads it.

    `blocks` are words that open what another word closes. Of a language that is not `trusted`, the grammar
    takes some code that is right for broken.
    """

    name: str
    files: tuple[str, ...]
    grammars: tuple[Grammar, ...]
    trusted: bool = True
    blocks: tuple[tuple[str, str], ...] = ()
    without: tuple[str, ...] = ()
    """How the names of files end that are not checked."""
    elements: bool = False
    """Whether elements as in HTML may stand in it, whose names the grammar does not compare."""
    paired: bool = False
    """Whether brackets come in pairs in every right text without a preprocessor."""
    unchecked: tuple[bytes, ...] = ()
    """Words of a dialect that the grammar does not know: a text with one of them is not checked."""


def _ended(*words: str) -> tuple[tuple[str, str], ...]:
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
    # A macro may stand for anything, and the preprocessor may cut a statement in two.
    Language("c", ("*.c",), (_C,), trusted=False, paired=True),
    Language("cpp", ("*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.hxx"), (_CPP,), trusted=False, paired=True),
    Language("header", ("*.h",), (_C, _CPP, _OBJC), trusted=False),
    # Conditional compilation in the middle of an expression; pointers.
    Language("csharp", ("*.cs",), (Grammar("tree_sitter_c_sharp"),), trusted=False, paired=True),
    Language(
        "ruby",
        ("*.rb", "*.rake", "*.gemspec", "Rakefile", "Gemfile"),
        (Grammar("tree_sitter_ruby"),),
        blocks=_ended("def", "class", "module", "if", "unless", "while", "until", "case", "begin", "do", "for"),
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
        blocks=(*_ended("function", "if", "do"), ("repeat", "until")),
    ),
    # Every database has words of its own.
    Language("sql", ("*.sql",), (Grammar("tree_sitter_sql"),), trusted=False),
    # Extensions, and the C preprocessor.
    Language("haskell", ("*.hs",), (Grammar("tree_sitter_haskell"),), trusted=False),
    Language("elixir", ("*.ex", "*.exs"), (Grammar("tree_sitter_elixir"),), blocks=_ended("do", "fn")),
    # The language still changes from version to version.
    Language("zig", ("*.zig",), (Grammar("tree_sitter_zig"),), trusted=False, paired=True),
    # `a, = b`, and macros.
    Language(
        "julia",
        ("*.jl",),
        (Grammar("tree_sitter_julia"),),
        trusted=False,
        blocks=_ended(
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
    # What a shell reads stands between, and conditions cut rules in two.
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
