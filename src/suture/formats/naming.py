"""Where models write which file they mean: in a label, on a line of its own, in prose, beside a code fence.

A path is taken from a line as a whole, from behind a label, from a fence's info string, or, if it is the only one
there, from between the backticks of a sentence. What merely looks like a word is none.
"""

from __future__ import annotations

_LONGEST = 300
_LABELS = {
    "file",
    "filename",
    "file name",
    "filepath",
    "file path",
    "path",
    "new file",
    "new_file",
    "create file",
    "update file",
    "edit file",
    "modify file",
    "modified file",
    "updated file",
}
_KEYS = {"file", "filename", "filepath", "path", "title", "name", "src"}
_NAMES = """
makefile dockerfile containerfile license licence readme changelog notice authors codeowners gemfile rakefile
procfile vagrantfile jenkinsfile brewfile justfile cmakelists.txt build workspace podfile pipfile go.mod go.sum
"""
_EXTENSIONS = """
bash bat bib c cc cfg cjs clj cljs cmake cmd coffee conf config cpp cs css csv cts cxx d dart diff dockerfile
edn ejs el elm env erb erl ex exs f90 fish fs fsx gql go gradle graphql groovy h haml hbs hcl hpp hrl hs htm
html hxx ini ipynb java jinja jl js json json5 jsonc jsonl jsx kt kts less lhs lisp lock lua m md mdx mjs mk ml
mli mm mts mustache nim nix nu org patch php pl plist pm prisma properties proto ps1 pug py pyi pyx r rb rego
rest rkt rs rst s sass sbt scala scm scss sh sln sol sql svelte svg swift tcl templ tex tf tfvars thrift toml ts
tsv tsx twig txt v vb vhd vim vue wat wgsl xml yaml yml zig zsh
"""
_NO_FILES = """
d3.js express.js nest.js next.js node.js nuxt.js react.js three.js vue.js
"""
_KNOWN_NAMES = frozenset(_NAMES.split())
_KNOWN_EXTENSIONS = frozenset(_EXTENSIONS.split())
_LIBRARIES = frozenset(_NO_FILES.split())
_DECORATION = "#>*+;% \t"
_NO_PATH = frozenset(' \t\r\f\v\u00a0<>|*?"`=;{}')
_ENDS = " \t:*`"
_PAIRS = {"`": "`", '"': '"', "'": "'", "\u201c": "\u201d", "[": "]", "(": ")", "<": ">"}
_FENCES = ("```", "~~~")


def labelled(line: str) -> str | None:
    """The path behind a label such as `### File:`, or on a line that is a heading."""
    text = _bare(line)
    name, colon, rest = text.partition(":")
    if colon and name.strip("*_` \t").lower() in _LABELS:
        path = _unwrapped(rest)
        return path if path and ("`" in rest or not _is_sentence(path)) else None
    is_heading = line.lstrip().startswith("#")
    return _whole(text) if is_heading else None


def _is_sentence(text: str) -> bool:
    """Whether a text of several words does not end like a file's name."""
    *_, last = text.split()
    return last != text and not _is_known(last)


def alone(line: str) -> str | None:
    """The path that a line is, but for its decoration."""
    return labelled(line) or _whole(_bare(line))


def _whole(text: str) -> str | None:
    """The path that a text is; between backticks it may hold spaces."""
    path = _unwrapped(text)
    if _path(path) is not None:
        return path
    quoted = text.strip("* \t:").startswith("`") and bool(path) and "`" not in path
    return path if quoted and " " in path and not _is_sentence(path) and "/" in path else None


def mentioned(line: str) -> str | None:
    """The one path in a sentence: between backticks, or in a line that ends with a colon."""
    words = [part.strip() for part in line.split("`")[1::2]]
    if not words and line.rstrip().rstrip("*").endswith(":"):
        words = [word.strip("*\"'(),:") for word in line.split()]
    found = {word for word in words if _is_known(word) and word.lower() not in _LIBRARIES}
    return found.pop() if len(found) == 1 else None


def in_info(line: str) -> str | None:
    """The path in the info string of a code fence: alone, behind the language, or as `title="..."`."""
    info = line.strip().lstrip("`~").strip()[: 2 * _LONGEST]
    if info.isalnum():
        return None  # a language, though a file may be called so
    for word in _words(info.strip("{}")):
        name, sign, value = word.partition("=")
        if sign and name.strip(".").lower() in _KEYS:
            return _unwrapped(value) or None
        language, colon, rest = word.partition(":")
        if colon and rest and not language.endswith(("/", "\\")) and len(language) > 1 and _path(rest):
            return _path(rest)
        if not word.isalnum() and (_is_known(word) or (_path(word) and ("/" in word or "\\" in word))):
            return word
    return None


def fence_of(line: str) -> tuple[str, str] | None:
    """The fence that a line is: its characters, and its info string; None for other lines."""
    text = line.strip()
    if not text.startswith(_FENCES):
        return None
    info = text.lstrip(text[0])
    return None if text[0] == "`" and "`" in info else (text[: len(text) - len(info)], info.strip())


def closes(line: str, fence: str) -> bool:
    """Whether a line ends what a fence began."""
    text = line.strip()
    return text.startswith(fence) and not text.strip(fence[0])


def as_path(written: str) -> str:
    """A path with the separators that workspaces use."""
    path = written if "/" in written else written.replace("\\", "/")
    return path.removeprefix("./")


def _bare(line: str) -> str:
    """A line without what marks it as a heading, a list item, a quotation or a comment."""
    text = line.strip()
    for opening, closing in (("<!--", "-->"), ("/*", "*/"), ("//", ""), ("--", ""), ("{/*", "*/}")):
        if text.startswith(opening):
            text = text.removeprefix(opening).removesuffix(closing).strip()
    text = text.lstrip(_DECORATION)
    text = text.removeprefix("- ").lstrip(_DECORATION)
    number = text.lstrip("0123456789")
    if number != text and number[:2] in {". ", ") "}:
        text = number[2:].lstrip(_DECORATION)
    return text


def _unwrapped(text: str) -> str:
    """A path without what stands around it: emphasis, quotes, a remark in parentheses, a colon."""
    text = text.strip().strip("*").strip()
    closing = _PAIRS.get(text[:1])
    end = text.find(closing, 1) if closing is not None else -1
    if end > 0:
        rest = text[end + 1 :].strip(_ENDS)
        if not rest or (rest.startswith("(") and rest.endswith(")")):
            return text[1:end].strip()
    text = text.rstrip(_ENDS)
    head, space, remark = text.partition(" (")
    return head.rstrip(_ENDS) if space and remark.endswith(")") else text


def _path(text: str) -> str | None:
    """The text, if it may be a path: one word, with a folder, an extension or a known name."""
    if not text or len(text) > _LONGEST or " " in text or not _NO_PATH.isdisjoint(text):
        return None
    if text.isalnum():
        return text if text.lower() in _KNOWN_NAMES else None
    if "://" in text or text.endswith((".", ",", "!", "/", "\\", ")")):
        return None
    name = text.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if name != text or name.lower() in _KNOWN_NAMES or name.startswith("."):
        return text
    letters = extension.isalnum() and any(map(str.isalpha, extension)) and not extension[0].isdigit()
    return text if dot and stem and letters and "(" not in text else None


def _is_known(word: str) -> bool:
    """Whether a word is a path beyond doubt: its extension or its name is known, or it has folders and an extension."""
    if _path(word) is None:
        return False
    name = word.replace("\\", "/").rpartition("/")[2]
    extension = name.rpartition(".")[2].lower()
    return (
        name.lower() in _KNOWN_NAMES
        or (name != word and "." in name)
        or ("." in name and extension in _KNOWN_EXTENSIONS)
    )


def _words(info: str) -> list[str]:
    """The words of an info string; a quoted one may hold spaces."""
    words: list[str] = []
    quote, word = "", ""
    for char in info:
        if quote:
            quote = "" if char == quote else quote
            word += char
        elif char in "\"'" and word.endswith("="):
            quote = char
            word += char
        elif char.isspace() or char == ",":
            words.append(word)
            word = ""
        else:
            word += char
    return [each for each in (*words, word) if each]
