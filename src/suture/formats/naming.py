"""Where models write which file they mean: in a label, on a line of its own, in prose, beside a code fence.

A line *names* a file outright if it is the path, but for decoration, or has it behind a label or in a tag; so does a
fence's info string. Every other line *mentions* the files whose paths or bare names it holds, wherever they are in it.
`Above` collects both between two blocks, and says which of them the next block may be about. Which of the words
are files at all, only the files tell.
"""

from __future__ import annotations

from functools import lru_cache

from suture.formats.blocks import Mention

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern

_LONGEST = 300
_LONGEST_LINE = 20_000
_MOST_MENTIONED = 20
_CLAUSE_SIZE = 80
"""Characters before a name that are looked at for what is said about it."""
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
_HTML = """
a audio button embed form frame iframe img input link meta object param script select slot source textarea video
"""
_NAMES = """
Makefile GNUmakefile Dockerfile Containerfile CODEOWNERS Gemfile Rakefile Procfile Vagrantfile Jenkinsfile Brewfile
Justfile CMakeLists.txt Podfile Pipfile go.mod go.sum
"""
_WORDS_TOO = "LICENSE LICENCE README CHANGELOG NOTICE AUTHORS BUILD WORKSPACE"
"""Names of files that are words as well."""
_EXTENSIONS = """
adb adoc ads ahk asciidoc asm aspx astro awk bash bazel bib bzl cc cfg cfm cjs clj cljs cmake coffee cpp cr cs cshtml
csproj css csv cts cu cuh cxx dart dockerfile dtd edn eex ejs elm erb erl exs f90 f95 fsproj fsx ftl gemspec geojson
glsl gn gni go gql gradle graphql groovy haml hbs hcl heex hjson hlsl hpp hrl hs htm html hx hxx ini ipynb j2 java jinja
jinja2 jl js json json5 jsonc jsonl jsp jspx jsx kt kts less lhs liquid lua mako marko md mdx mjs mli mts mustache nasm
nim nix njk pas pbxproj pcss php phtml plist pot prisma proto ps1 psql pug puml py pyi pyx rake razor rb rego resx rkt
rs rst rtf sass sbt scala scss sh slim sln sol sql srt storyboard styl svelte svg swift tcl templ tex textile tf tfvars
toml ts tsv tsx twig txt vbproj vcxproj vhd vim vtt vue wat webmanifest wgsl wsdl wxml wxss xaml xhtml xml xsd xsl xslt
yaml yml zig zsh
"""
_DOUBTFUL = """
as bat c cmd conf config d diff el env ex f fish frag fs h lisp lock m map mk ml mm mod nu org patch pl pm po pp
properties props r rest rq ru s scm service strings sum targets thrift tmpl tpl v vb vert
"""
"""Extensions that attributes of objects and parts of sentences have as well."""
_NO_FILES = """
alpine.js angular.js asp.net backbone.js babylon.js bun.js chart.js d3.js day.js deno.js docs.rs ember.js express.js
fastify.js handlebars.js highlight.js hono.js jquery.js knockout.js koa.js lit.js marked.js matter.js meteor.js mocha.js
moment.js mustache.js nest.js next.js node.js nuxt.js p5.js passport.js phaser.js pixi.js preact.js prism.js react.js
remix.js require.js socket.io solid.js stimulus.js svelte.js swagger.json three.js underscore.js vue.js web.py
"""
_OBJECTS = """
$ $el body cls ctx context data document e el elem element event item node obj object r req request res resp response
result self super that this window
"""
"""What stands before the dot of an attribute: `response.json`."""
_PROPER_NAMES = frozenset(f"{_NAMES} {_WORDS_TOO}".split())
_PLAIN_WORDS = frozenset(_WORDS_TOO.split())
_KNOWN_NAMES = frozenset(f"{_NAMES} {_WORDS_TOO}".lower().split())
_NAMED = rf"(?i)(?<![a-z0-9])(?:{'|'.join(sorted(each for each in _KNOWN_NAMES if '.' not in each))})(?![a-z0-9])"
_SURE_EXTENSIONS = frozenset(_EXTENSIONS.split())
_KNOWN_EXTENSIONS = _SURE_EXTENSIONS | frozenset(_DOUBTFUL.split())
_LIBRARIES = frozenset(_NO_FILES.split())
_ATTRIBUTED = frozenset(_OBJECTS.split())
_HTML_TAGS = frozenset(_HTML.split())
_DECORATION = "#>*+;%= \t"
_NO_PATH = frozenset(' \t\r\f\v\u00a0<>|*?"`=;{}')
_NEVER = frozenset('<>|*?"')
_ENDS = " \t:*`="
_SETS_OFF = (":", "-", "\u2013", "\u2014", "(", ",")
_PAIRS = {"`": "`", '"': '"', "'": "'", "\u201c": "\u201d", "[": "]", "(": ")", "<": ">"}
_FENCES = ("```", "~~~")
_BETWEEN = (
    r"""\s"'`<>|*?;:=#&{},\u00ab\u00bb\u2018\u2019\u201c-\u201e\u2026\u2190-\u21ff"""
    r"""\u3001\u3002\u300c\u300d\u3010\u3011\uff08\uff09\uff0c\uff1a"""
)
_WORDS = f"[^{_BETWEEN}]+"
_ASCII = r"[!-~]+"
_QUOTED = r"""[`"\u201c]([^`"\u201c\u201d]+)[`"\u201d]"""
_URL = r"(?i)\b(?!file:)[a-z][a-z0-9+.-]{0,20}://[^\s)\]>\"'`]*"
_CLAUSE = r"[,;:()!?]|\.\s|\s[-\u2013\u2014]\s|\b(?:and|but|now|so|then|while)\b"
_ASIDES = (
    r"\b(?:like(?! to\b)|unlike|than|cf|mirror\w*|match\w*|resembl\w*|without|no|not|instead of|similar to|same as|"
    r"identical to|analogous to|consistent with|according to|compared (?:to|with)|"
    r"as (?!well\b)(?:\w+ ){0,3}(?:in|with))\b(?: \S+){0,4}$"
)
_LISTED = r"[\s`*\"'\[\](),/&+]{0,20}(?:and|or)?[\s`*\"'\[(]{0,20}"
_SOURCES = r"\b(?:from|by|via|see|uses?|using|imports?|importing|calls?|calling)\b(?: \S+){0,3}$"
_REMOVALS = r"(?i)\b(?:remov|delet|drop|strip|clean|cut|eliminat)\w*"
_PARTS = (
    r"(?i)\b(?:excerpts?|snippets?|portions?|fragments? of|extracts? (?:of|from)|abridged|abbreviated|for brevity|"
    r"(?:shortened|truncated) (?:version|file|for)|partial (?:file|code|listing|content|version|update)|"
    r"examples?|for instance|for illustration|sketch of|something like|"
    r"(?:parts?|sections?) of|lines? \d+|rest (?:is|of|stays|remains)|"
    r"(?:(?:only|just) (?:the |this |these )?(?:new )?|(?:relevant|changed|affected|modified|updated|interesting|key) )"
    r"(?:relevant|changed|affected|modified|updated|parts?|sections?|lines?|bits?|functions?|methods?|class(?:es)?|"
    r"blocks?|pieces?|what)|(?:only|just) (?:shows?|showing)|showing (?:only|just))\b|^\W*usage\b"
)
_WHOLES = r"(?i)(?<!not )(?<!not the )(?<!not a )(?<!n't )(?<!n't the )\b(?:whole|full|complete|entire)\b"
_SYMBOLS = 0x2100
"""Behind it, what is no letter is a sign."""
_SAID, _POINTS, _LINE, _LABEL = range(4)
"""How clearly a line says which file comes next."""


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
    return last != text and not is_known(last)


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
    return path if heading and rest[:1] in _SETS_OFF and is_known(path) else None


def _tagged(text: str) -> str | None:
    """The path in a tag, as its text or as an attribute."""
    if not text.startswith("<") or text.startswith("<!"):
        return None
    tag, _, rest = text[1:_LONGEST].partition(">")
    name, _, attributes = tag.partition(" ")
    if name.lower() in _HTML_TAGS:
        return None
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


def mentions(line: str) -> list[Mention]:
    """The files that a line may speak of, in its order, each once."""
    line = line[:_LONGEST_LINE]
    if not _may_hold_path(line):
        return []
    line = _pattern(_URL).sub(lambda url: " " * len(url.group()), line)
    removes = _pattern(_REMOVALS).search(line) is not None
    found: dict[str, Mention] = {}
    end, role = 0, ""
    for word, start, sure in _words_of(line):
        before = line[max(0, start - _CLAUSE_SIZE) : start]
        listed = role and end <= start and _pattern(_LISTED).fullmatch(line[end:start])
        role = role if listed else _role(before, removes=removes)
        end = start + len(word)
        if word not in found:
            found[word] = Mention(as_path(word), sure=sure, role=role)
    return list(found.values())


def _words_of(line: str) -> Iterator[tuple[str, int, bool]]:
    """The words of a line that may be files: each with where it begins, and whether it is one for sure."""
    spans = [each.span(1) for each in _pattern(_QUOTED).finditer(line)]
    phrases = [(start, end) for start, end in spans if " " in line[start:end].strip()]
    for start, end in phrases:  # a name with spaces, or a command, or a sentence
        phrase = line[start:end].strip()
        if is_known(phrase.rpartition(" ")[2]):
            yield phrase, start, False
    for found in _pattern(_WORDS).finditer(line):
        files = _files_in(found.group()) if _may_hold_path(found.group().rstrip(".")) else ()
        if files:
            at = found.start()
            inside = any(start <= at < end for start, end in phrases)
            quoted = not inside and any(start <= at < end for start, end in spans)
            for word, sure in files:
                if not word.isalnum() or quoted or word in _PROPER_NAMES:
                    yield word, at, sure and not inside


def _may_hold_path(text: str) -> bool:
    """Whether it is worth looking for paths in a text."""
    return "." in text or "/" in text or "\\" in text or _pattern(_NAMED).search(text) is not None


@lru_cache(maxsize=256)
def _files_in(word: str) -> tuple[tuple[str, bool], ...]:
    """The paths that a word may be or hold, each with whether it is one for sure.

    A word may hold two, as a link, several, as a list, or one between letters of another script.
    """
    paths: list[str] = []
    for each in word.split("]("):
        path = _trimmed(each)
        names = path.split("/")
        if not path.isascii() and not _is_sure(path):
            paths += map(_trimmed, _pattern(_ASCII).findall(path))
        elif len(names) > 1 and all(_extension(name) in _SURE_EXTENSIONS for name in names):
            paths += names
        else:
            paths.append(path)
    return tuple((each, _is_sure(each)) for each in paths if _path(each) is not None)


def _trimmed(word: str) -> str:
    """A word without the punctuation and the brackets around it."""
    last = ""
    while word != last:
        last = word
        word = _plain(word).strip("-~\u2013\u2014\u2026!^$%").rstrip(".+")
        for opening, closing in ("()", "[]"):
            if word.startswith(opening) and (word.endswith(closing) or closing not in word):
                word = word.removeprefix(opening).removesuffix(closing)
            elif word.endswith(closing) and word.count(closing) > word.count(opening):
                word = word.removesuffix(closing)
    word = word.removeprefix("@").removeprefix("...")
    if word.endswith("_"):
        word = word.strip("_")
    return f"/{word.lstrip('/')}" if word.startswith("/") else word


def _plain(text: str) -> str:
    """A text without emoji and arrows around it."""
    if text.isascii():
        return text
    return text.strip("".join({char for char in text if ord(char) > _SYMBOLS and not char.isalnum()}) or " ")


def _extension(name: str) -> str:
    stem, _, extension = name.rpartition(".")
    return extension.lower() if stem.strip(".") else ""


def _is_sure(word: str) -> bool:
    """Whether a word is a file's name even if there is none: no attribute of an object, no library, no plain word."""
    name = word.replace("\\", "/").rpartition("/")[2]
    stem = name.lower().rpartition(".")[0]
    if _path(word) is None or name.lower() in _LIBRARIES or (name == word and stem in _ATTRIBUTED):
        return False
    known = _KNOWN_EXTENSIONS if name != word else _SURE_EXTENSIONS
    return _extension(name) in known or (name in _PROPER_NAMES and name not in _PLAIN_WORDS)


def _role(before: str, *, removes: bool) -> str:
    """What a sentence does with a file, by the words in front of it."""
    clause = _pattern(_CLAUSE).split(before.lower().rstrip(" \t`*\"'[<_\u201c"))[-1]
    if _pattern(_ASIDES).search(clause):
        return "aside"
    return "source" if not removes and _pattern(_SOURCES).search(clause) else "target"


@lru_cache(maxsize=16)
def _pattern(text: str) -> Pattern[str]:
    import re  # only prose needs it

    return re.compile(text)


class Above:
    """What the lines since the last block say about the file of the next one.

    A label, a tag, or the info string of a fence settles it; what came before no longer
    counts, and behind it only a line in the fence of the block can contradict it. Else the lines that point count (a
    path on a line of its own; a heading; a comment in the fence; the line above the block, if it ends with a colon and
    has one file in it), and whatever is mentioned behind them. Where none points, everything mentioned does.
    """

    def __init__(self) -> None:
        self._found: list[_Item] = []
        self._listed = False
        """Whether the last line is a path: several such lines are a list, and none of them names the file."""

    def settle(self, path: str, *, fenced: bool = False) -> None:
        """Something names the file outright."""
        kept = [each for each in self._found if fenced and not each.fenced]
        self._found = [*kept, _Item(Mention(as_path(path), sure=True), _LABEL, written=path, fenced=fenced)]
        self._listed = False

    def add(self, line: str, *, fenced: bool = False) -> str | None:
        """Take note of a line that is not blank; the path, if it is a label or a heading that names one."""
        if line.startswith(("--- a/", "+++ b/")):
            line = line[len("--- a/") :]
        label = labelled(line) if line.lstrip()[:1] == "#" or ":" in line else None
        name = _whole(_bare(line))
        outright = (label if label != name else None) or _tagged(line.strip())
        if outright is not None:
            self.settle(outright, fenced=fenced)
            return label
        if not fenced:
            for item in self._found:
                item.announces = False
        if label is not None and not fenced:
            self._found.clear()
        name = None if name is None or name.partition(".")[0].lower() in _ATTRIBUTED else name.removeprefix("@")
        found = mentions(line)
        if name is not None and (_is_sure(name) or not any(each.sure for each in found)):
            mention = Mention(as_path(name), sure=_is_sure(name) or fenced)
            if not mention.sure:
                self._found += [_Item(each, _SAID) for each in found if each.path != mention.path]
            self._name(_Item(mention, _LINE, written=name, fenced=fenced))
            return label
        self._listed = False
        targets = [each for each in found if each.sure and each.role == "target"]
        heading = line.lstrip().startswith("#") and not fenced
        if heading and targets:
            self._found.clear()
        points = heading or fenced or _leading(line) is not None
        for each in found:
            item = _Item(each, _POINTS if points and each.role == "target" else _SAID, fenced=fenced)
            item.announces = is_announcement(line) and targets == [each]
            self._found.append(item)
        return None

    def _name(self, item: _Item) -> None:
        """Take note of a line that is a path."""
        last = self._found[-1] if self._listed and self._found else None
        if last is not None and last.mention.path != item.mention.path:
            last.level = item.level = _SAID
            last.announces = False
            self._found.append(item)
        else:
            kept = item.fenced or not item.mention.sure
            self._found = [*(self._found if kept else ()), item]
            item.announces = True
            item.level = _LINE if item.mention.sure else _SAID
        self._listed = True

    def leave_fence(self, *, label: bool) -> None:
        """A fence ends: what is in it says nothing about a block behind it, unless it is only a path, as a `label`."""
        found = [each for each in self._found if each.fenced]
        self._found = [each for each in self._found if not each.fenced]
        if label and len(found) == 1 and found[0].level >= _LINE:
            self.settle(found[0].written)

    @property
    def named(self) -> str | None:
        """The file that is settled, as written: by a label, or a path on a line of its own with nothing against it."""
        chosen = self._chosen()
        only = chosen[-1] if len({each.mention.path for each in chosen}) == 1 else None
        outright = only is not None and (only.level >= _LINE or (only.announces and not only.mention.sure))
        return only.written if only is not None and outright else None

    @property
    def candidates(self) -> tuple[Mention, ...]:
        """The files that the block may be about, the likeliest last."""
        return tuple(dict.fromkeys(each.mention for each in self._chosen()))[-_MOST_MENTIONED:]

    def _chosen(self) -> list[_Item]:
        """What counts."""
        found = self._found
        label = next((number for number in range(len(found) - 1, -1, -1) if found[number].level == _LABEL), None)
        if label is not None:
            path = found[label].mention.path
            against = [each for each in found[label + 1 :] if each.fenced and each.level >= _POINTS]
            return [*(each for each in against if not path.endswith(f"/{each.mention.path}")), found[label]]
        if found and found[-1].announces and not found[-1].mention.sure:
            return [found[-1]]  # a path on a line of its own right above the block, whatever it looks like
        pointing = [number for number, each in enumerate(found) if each.level >= _POINTS or each.announces]
        if not pointing:
            return found
        behind = [each for each in found[pointing[-1] + 1 :] if each.mention.role == "target"]
        return [*behind, *(found[number] for number in pointing)]


class _Item:
    """One mention, and how clearly it says what comes next."""

    def __init__(self, mention: Mention, level: int, *, written: str = "", fenced: bool = False) -> None:
        self.mention = mention
        self.level = level
        self.written = written
        self.fenced = fenced
        self.announces = False
        """Whether its line is the last one above the block, and says what comes."""


def is_announcement(line: str) -> bool:
    """Whether a line says what comes next."""
    return line.rstrip().rstrip("*").endswith(":")


def is_excerpt(line: str) -> bool:
    """Whether a line says that what follows is a part of a file or an example, and not the whole of it."""
    if _pattern(_PARTS).search(line[: 2 * _LONGEST]) is None:
        return False
    words = " ".join(word for word in line[: 2 * _LONGEST].split() if not is_known(_trimmed(word.strip("`*:,\"'"))))
    return _pattern(_PARTS).search(words) is not None and _pattern(_WHOLES).search(words) is None


def in_info(line: str) -> str | None:
    """The path in the info string of a code fence: alone, behind the language, or as `title="..."`."""
    info = line.strip().lstrip("`~").strip()[: 2 * _LONGEST]
    if info.isalnum():
        return None  # a language, though a file may be called so
    classes = info.startswith("{")
    for word in _words(info.strip("{}")):
        if classes and word.startswith("."):
            continue
        name, sign, value = word.partition("=")
        if sign and name.strip(".").lower() in _KEYS:
            return _unwrapped(value) or None
        language, colon, rest = word.partition(":")
        if colon and rest and not language.endswith(("/", "\\")) and len(language) > 1 and _path(rest):
            return _path(rest)
        if not word.isalnum() and (is_known(word) or (_path(word) and ("/" in word or "\\" in word))):
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
    text = _plain(text).lstrip(_DECORATION)
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
    if "://" in text or "..." in text or text.endswith((".", ",", "!", "/", "\\", ")")):
        return None
    name = text.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if name != text or name.lower() in _KNOWN_NAMES or name.startswith("."):
        return text
    letters = extension.isalnum() and any(map(str.isalpha, extension)) and not extension[0].isdigit()
    return text if dot and stem and letters and "(" not in text else None


def is_known(word: str) -> bool:
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
