"""Where models write which file they mean: in a label, on a line of its own, in prose, beside a code fence.

A path is taken from a line as a whole, from behind a label, from a fence's info string, or, if it is the only one
there, from between the backticks of a sentence. What merely looks like a word is none.
"""

from __future__ import annotations

from functools import lru_cache

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
_KEYS = {"file", "filename", "filepath", "file_path", "path", "title", "name", "src"}
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
_DECORATION = "#>*+;%= \t"
_NO_PATH = frozenset(' \t\r\f\v\u00a0<>|*?"`=;{}')
_NEVER = frozenset('<>|*?"')
_ENDS = " \t:*`="
_SETS_OFF = (":", "-", "\u2013", "\u2014", "(", ",")
_PAIRS = {"`": "`", '"': '"', "'": "'", "\u201c": "\u201d", "[": "]", "(": ")", "<": ">"}
_FENCES = ("```", "~~~")


def labelled(line: str) -> str | None:
    """The path behind a label such as `### File:`, or on a line that is a heading."""
    return None if len(line) > 2 * _LONGEST else _labelled(line)


@lru_cache(maxsize=64)  # several look at the same lines
def _labelled(line: str) -> str | None:
    text = _bare(line)
    name, colon, rest = text.partition(":")
    if colon and name.strip("*_` \t").lower() in _LABELS:
        path = _unnumbered(_unwrapped(rest))
        possible = bool(path) and "://" not in path and _NEVER.isdisjoint(path)
        return path if possible and ("`" in rest or not _is_sentence(path)) else None
    is_heading = line.lstrip().startswith("#")
    return _whole(text) if is_heading else None


def _is_sentence(text: str) -> bool:
    """Whether a text of several words does not end like a file's name."""
    *_, last = text.split()
    return last != text and not _is_known(last)


def alone(line: str) -> str | None:
    """The path that a line is, but for its decoration; or that it begins with, set off from what it says about it."""
    return None if len(line) > 2 * _LONGEST else _alone(line)


@lru_cache(maxsize=64)
def _alone(line: str) -> str | None:
    if "." not in line and "/" not in line and "\\" not in line and ":" not in line:
        name = _unwrapped(_bare(line))
        return name if name.lower() in _KNOWN_NAMES else None
    return labelled(line) or _whole(_bare(line)) or _tagged(line.strip()) or _leading(line)


def _leading(line: str) -> str | None:
    """The path at the beginning of a heading, or in bold or backticks at the beginning of any line."""
    text, marked = _bare(line), line.lstrip("#>-+0123456789.) \t")
    quote = "`" if text.startswith("`") else "**" if marked.startswith("**") else ""
    if quote:
        path, _, rest = text.removeprefix(quote).partition(quote)
    else:
        path, _, rest = text.partition(" ")
    rest = rest.lstrip("*` \t")
    heading = bool(quote) or line.lstrip().startswith("#")
    path = path.strip("*` \t:")
    return path if heading and rest[:1] in _SETS_OFF and _is_known(path) else None


def _tagged(text: str) -> str | None:
    """The path in a tag, as its text or as an attribute."""
    if not text.startswith("<") or text.startswith("<!"):
        return None
    tag, _, rest = text[1:_LONGEST].partition(">")
    name, _, attributes = tag.partition(" ")
    if not attributes and name.lower() in _KEYS:
        return _path(rest.partition("</")[0].strip())
    for word in _words(attributes):
        key, sign, value = word.partition("=")
        if sign and key.lower() in _KEYS:
            return _path(_unwrapped(value.rstrip("/")))
    return None


def _whole(text: str) -> str | None:
    """The path that a text is; between backticks it may hold spaces."""
    path = _unnumbered(_unwrapped(text))
    if _path(path) is not None:
        return path
    quoted = text.strip("* \t:").startswith("`") and bool(path) and "`" not in path
    return path if quoted and " " in path and not _is_sentence(path) and "/" in path else None


def mentioned(line: str) -> list[str]:
    """The paths that a sentence speaks of: between backticks, with a folder, or any before a colon at its end."""
    line = line[: 2 * _LONGEST]
    words = [part.strip() for part in line.split("`")[1::2]]
    plain = [word.strip("*_\"'(),:;.").removesuffix("'s") for word in " ".join(line.split("`")[::2]).split()]
    words += plain if is_announcement(line) else [word for word in plain if "/" in word]
    return list(dict.fromkeys(word for word in words if _is_known(word) and word.lower() not in _LIBRARIES))


def is_announcement(line: str) -> bool:
    """Whether a line says what comes next."""
    return line.rstrip().rstrip("*").endswith(":")


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


def _unnumbered(path: str) -> str:
    """A path without the line number behind it."""
    name, colon, number = path.rpartition(":")
    return name if colon and number.isdecimal() and name else path


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
