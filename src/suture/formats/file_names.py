"""Find which file a block is about: in a label, on its own line, in prose, or beside a code fence.

A line *names* a file if it is the path, apart from decoration, or has the path after a label or in a tag; so does a
fence's info string. Every other line *mentions* all files whose paths or bare names it contains. `LinesAbove` collects
both between two blocks and determines which files the next block may be about. It never chooses by likelihood alone:
the files in the workspace decide which words are files at all, and so which one is meant.
"""

from __future__ import annotations

from functools import lru_cache

from suture.formats import Mention, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_PATH_CHARS = 300  # characters of a path: longer text is something else
_MAX_NAME_CHARS = 100  # characters of a name that does not look like a path: a longer text is a sentence
_MAX_LINE_CHARS = 20_000  # characters at the start of a line that are searched for paths: bounds the time
_MAX_MENTIONED_FILES = 20  # likeliest files that a block may be about: each one is looked up in the workspace
_CLAUSE_CHARACTERS = 80  # characters before and after a name in which the rest of its clause is searched for
_LABELS = frozenset(
    (
        *("file", "filename", "file name", "filepath", "file path", "path", "new file", "new_file", "create file"),
        *("update file", "edit file", "modify file", "modified file", "updated file"),
        *("archivo", "arquivo", "datei", "fichier", "\u0444\u0430\u0439\u043b", "\u6587\u4ef6", "\u6587\u4ef6\u540d"),
        *("\u6587\u4ef6\u8def\u5f84", "\u8def\u5f84", "\u6a94\u6848", "\u30d5\u30a1\u30a4\u30eb", "\ud30c\uc77c"),
    )
)
_KEYS = {"file", "filename", "filepath", "file_path", "path", "title", "name", "src"}
_HTML = """
a audio button embed form frame iframe img input link meta object param script select slot source textarea video
"""
_NAMES = """
Makefile GNUmakefile Dockerfile Containerfile CODEOWNERS Gemfile Rakefile Procfile Vagrantfile Jenkinsfile Brewfile
Justfile CMakeLists.txt Podfile Pipfile go.mod go.sum go.work Appfile Appraisals APKBUILD Berksfile Caddyfile Cakefile
Capfile Cartfile Dangerfile Doxyfile Earthfile Fastfile Gruntfile Guardfile Kbuild Kconfig Matchfile PKGBUILD
Puppetfile SConscript SConstruct Snakefile Steepfile Thorfile Tiltfile gradlew mvnw config.ru meson.build web.config
app.config nuget.config packages.config
"""
_WORD_NAMES = """
LICENSE LICENCE README CHANGELOG NOTICE AUTHORS BUILD WORKSPACE BUCK CONTRIBUTING CONTRIBUTORS COPYING COPYRIGHT
INSTALL MAINTAINERS OWNERS VERSION
"""
"""Names of files that are also words."""
_DOTFILE_NAMES = """
.babelrc .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .browserslistrc .clang-format .clang-tidy .clangd
.coveragerc .curlrc .cvsignore .dockerignore .editorconfig .envrc .eslintignore .eslintrc .flake8 .flowconfig
.gitattributes .gitconfig .gitignore .gitkeep .gitmodules .helmignore .hgignore .htaccess .htpasswd .inputrc .jshintrc
.lintstagedrc .mailmap .markdownlintrc .mocharc .netrc .node-version .nojekyll .npmignore .npmrc .nvmrc .nycrc
.prettierignore .prettierrc .profile .pylintrc .python-version .rspec .ruby-version .stylelintrc .swcrc .tmux.conf
.tool-versions .vimrc .wgetrc .yarnrc .zprofile .zshenv .zshrc
"""
_EXTENSIONS = """
adb adoc ads agda ahk apib applescript asciidoc asm asmx aspx astro avdl avif avsc awk axaml bash bat bats bazel bib
bicep bmp bzl c cabal cbl cc cfg cfm cjs clj cljc cljs cls cmake cmd cob cobol coffee conf containerfile cpp cppm cpy
cql cr crt cs cshtml csproj csr css csv cts cu cuh cxx cypher dart dbml dhall dll dockerfile docx dpr dtd dts dtsi dylib
ebuild edn eex ejs el elm entitlements eot erb erl ex exe exs f03 f08 f77 f90 f95 fish flix fnl fsproj fsx ftl gawk gd
gdshader gemspec geojson gif gleam glsl gn gni go gotmpl gpr gql gradle graphql graphqls groovy gyp gypi gz h haml
handlebars hbs hcl heex hh hjson hlsl hpp hrl hs htm html hx hxx icns ico ics idl idr in ini inl ino ipp ipynb iss j2
janet jar java jbuilder jinja jinja2 jl jpeg jpg js json json5 jsonc jsonl jsonnet jsp jspx jsx kdl ksh kt kts latex lds
lean less lhs libsonnet liquid lisp lock lua m m4 mako markdown marko md mdc mdx metal mjs mk ml mli mll mly mm moon mp3
mp4 mts mustache nasm ndjson nim nimble nix njk nomad nsi ogg opam otf overpassql parquet pas pbtxt pbxproj pcss pdf pem
php php5 phtml pickle pkl pl plist plsql pm png podspec pot pptx prisma proto ps1 psd1 psm1 psql pug puml purs pxd pxi
py pyc pyi pyw pyx qml qrc rake raku razor rb rbi rbs rego rei resx rkt ron rs rst rtf sas sass sbt scad scala scm scss
sh shtml sld slim sln slnx smali sml sol sparql sql sqlite sqlite3 srt sss storyboard sty styl sv svelte svg svh swift
tar tcc tcl templ tesc tese tex textile textproto tf tfvars tgz thrift tml tmpl toml tpl ts tscn tsv tsx ttf ttl twig
txt vala vb vba vbproj vbs vcxproj vh vhd vhdl vim vtt vue wasm wast wat wav webm webmanifest webp wgsl whl wit woff
woff2 wren wsdl wxml wxs wxss xaml xhtml xib xlsx xml xsd xsl xslt yaml yang yml zig zip zon zsh
"""
_DOUBTFUL = """
arb as asc bak bin bst class cnf config cue d db desktop diff dot env f fasta for frag fs hack http inc inf just key log
man map mod mount mpp network nu org orig patch po pp pro prolog properties props r re reg res rest robot rq ru rules s
sed service shader socket spec strings sum target targets timer typ ui v vert
"""
"""Extensions that also occur in attributes of objects and in sentences."""
_LIBRARY_NAMES = """
alpine.js angular.js asp.net backbone.js babylon.js bun.js chart.js d3.js day.js deno.js docs.rs ember.js express.js
fastify.js handlebars.js highlight.js hono.js jquery.js knockout.js koa.js lit.js marked.js matter.js meteor.js mocha.js
moment.js mustache.js nest.js next.js node.js nuxt.js p5.js passport.js phaser.js pixi.js preact.js prism.js react.js
remix.js require.js socket.io solid.js stimulus.js svelte.js swagger.json three.js underscore.js vue.js web.py
"""
_OBJECT_LIST = """
$ $el body cls ctx context data document e el elem element event item node obj object r req request res resp response
result self super that this window
"""
"""Names of objects before an attribute: `response.json`."""
_OWNER_LIST = """
app args array cache celery client console cursor db df engine import.meta items kwargs list logger logging math meta
model module mutex np options opts os params parser pd process queue re schema session settings spark state str
subprocess sys threading torch user utils vscode workspace
"""
"""Names of objects before an attribute that looks like an extension: `process.env`."""
_SLASHED_WORDS = frozenset(
    {"and/or", "client/server", "either/or", "i/o", "input/output", "n/a", "read/write", "tcp/ip"}
)
_PROPER_NAMES = frozenset(f"{_NAMES} {_WORD_NAMES}".split())
_PLAIN_WORDS = frozenset(_WORD_NAMES.split())
_KNOWN_NAMES = frozenset(f"{_NAMES} {_WORD_NAMES}".lower().split())
_OWN_NAMES = frozenset(_NAMES.lower().split())
_DOTFILES = frozenset(_DOTFILE_NAMES.split())
_KNOWN_NAME = rf"(?i)(?<![a-z0-9])(?:{'|'.join(sorted(name for name in _KNOWN_NAMES if '.' not in name))})(?![a-z0-9])"
_SURE_EXTENSIONS = frozenset(_EXTENSIONS.split())
_KNOWN_EXTENSIONS = _SURE_EXTENSIONS | frozenset(_DOUBTFUL.split())
_AMBIGUOUS_EXTENSIONS = frozenset({"c", "cmd", "conf", "h", "in", "lock", "m"})
"""Extensions that are something else in capitals: abbreviations, names of classes."""
_ABBREVIATION_LENGTH = len("U.S")
_NAMES_WITH_EXTENSIONS = frozenset(
    {"Containerfile", "Dockerfile", "GNUmakefile", "Jenkinsfile", "Makefile", "Procfile", "Vagrantfile"}
)
"""Names that may have any extension."""
_LIBRARIES = frozenset(_LIBRARY_NAMES.split())
_OBJECT_NAMES = frozenset(_OBJECT_LIST.split())
_OWNER_NAMES = frozenset(_OWNER_LIST.split())
_HTML_TAGS = frozenset(_HTML.split())
_DECORATION = "#>*+;%= \t"
_NO_PATH = frozenset(' \t\r\f\v\u00a0<>|*?"`=;{}')
_NEVER = frozenset('<>|*?"')
_ENDS = " \t:\uff1a*`="
_SETS_OFF = (":", "-", "\u2013", "\u2014", "(", ",")
_PAIRS = {"`": "`", '"': '"', "'": "'", "\u201c": "\u201d", "[": "]", "(": ")", "<": ">"}
_FENCES = ("```", "~~~")
_BETWEEN = (
    r"""\s"'`<>|*?;:=#&{},\u00ab\u00bb\u2018\u2019\u201c-\u201e\u2026\u2190-\u21ff"""
    r"""\u3001\u3002\u300c\u300d\u3010\u3011\uff08\uff09\uff0c\uff1a"""
)
_INFO_WORDS = r"""(?:=(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z))|[^\s,])+"""
_WORDS = f"[^{_BETWEEN}]+"
_ASCII = r"[!-~]+"
_IN_PATHS = frozenset("._-/\\")
_WIDE_STOP = "\uff0e"
_QUOTED = r"""[`"\u201c]([^`"\u201c\u201d]+)[`"\u201d]"""
_TAG_END = r"(?:<|&lt;)\|?/[\w:.-]+\s*\|?(?:>|&gt;)"
_URL = r"(?i)\b(?!file:)[a-z][a-z0-9+.-]{0,20}://[^\s)\]>\"'`]*"
_CLAUSE = r"[,;:()!?]|\.\s|\s[-\u2013\u2014]\s|\b(?:and|but|now|so|then|while)\b"
_ASIDES = (
    r"\b(?:like(?! to\b)|unlike|than|cf|mirror\w*|match\w*|resembl\w*|without|no|not|instead of|similar to|same as|"
    r"identical to|analogous to|consistent with|according to|compared (?:to|with)|"
    r"as (?!well\b)(?:\w+ ){0,3}(?:in|with))\b(?: \S+){0,4}$"
)
_EDITED = r"(?:touch|chang|edit|modif|alter|updat)\w*"
_PROGRAMS = (
    r"(?:\./\S+|bash|black|bun|cargo|cat|cc|clang|coverage|deno|docker|dotnet|eslint|gcc|git|go|java|julia|make|mypy|"
    r"node|npm|npx|perl|php|pnpm|poetry|prettier|pytest|python[\d.]*|ruby|ruff|rustc|sh|source|tox|tsc|uv|uvx|yarn|"
    r"zsh)"
)
_SPARED = (
    rf"(?:\b(?:not|never|no need to|without|avoid)|n['\u2019]t) {_EDITED} (?:the )?(?:file )?$"
    rf"|\b(?:re-?)?(?:run|execute) [`$ \t]*{_PROGRAMS}(?: [^\s`]+){{0,4}} ?$"
)
"""The words before a file that stays as it is, or that is only run."""
_RUN = (
    r"\b(?:re-?)?(?:run|running|execute|executing) (?:the )?(?:file |script )?$"
    rf"|[`$] ?{_PROGRAMS}(?: [^\s`]+){{0,4}} ?$"
)
_BEFORE_LEFT = r"\b(?:leave|leaving|left|keep|keeping|kept) (?:the )?(?:file )?$"
_AFTER_LEFT = r"\W{0,3}\s(?:file )?(?:as (?:it )?(?:is|was)|alone|unchanged|untouched|in place)\b"
_UNCHANGED = (
    r"[`*\"'\])]{0,4} (?:itself )?(?:"
    r"(?:is |was )?already (?:(?:has|have|had|contains?|does|did|uses?) (?:this|it|that|these|those|them|the same|"
    r"the (?:change|fix|edit|update))|done|correct|fine|fixed|changed|updated|up to date)\b|"
    r"(?:needs?|requires?|gets?|sees) no (?:\w+ )?(?:chang|edit|modif|updat)\w*|"
    r"(?:does not|doesn['\u2019]t|will not|won['\u2019]t) (?:need|require) (?:any |a |to be |to )?(?:\w+ )?"
    r"(?:chang|edit|modif|updat|touch)\w*|(?:does not|doesn['\u2019]t|need not|will not|won['\u2019]t) change\b|"
    r"(?:is|was|stays?|remains?|can stay|can remain) (?:fine|ok|okay|correct|unchanged|untouched|unaffected|"
    r"not (?:chang|affect|touch)ed|as (?:it )?(?:is|was))\b)(?P<rest>[^.;:!?]*)(?:[.!)]|$)"
)
_SO_FAR = r"\W*(?:yet|so far|until|before|except|but|other than|directly)\b"
_HOWEVER = r"\b(?:but|so|only|now|still|yet|except|however|and|though|where|which|here|there)\b"
_BEFORE_POINTED = (
    r"(?:^|\b(?:in|into|inside|within|to|for|of|on|next|now|then|and|also|likewise|finally|update|edit|modify|change|"
    r"fix|patch|adjust|extend|open|file|step \d+)[,:]?|[|\u2192>\u2014\u2013])\s*(?:the )?(?:file )?[`*_\"'\[(\u201c]*$"
)
"""The words before a file that a line points to."""
_AFTER_POINTED = r"[`*_\"')\]\u201d]*\s*(?:file\s*)?(?:[:,|\uff1a(]|[-\u2013\u2014] |[.!]?$)"
_MARKS = r"^[\s>#*+-]*(?:\d+[.)]\s+)?[\s*_`]*"
_MIME = ("application/", "audio/", "font/", "http/", "image/", "multipart/", "origin/", "text/", "video/")
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
_FIRST_SYMBOL = 0x2100
"""Characters from here on are symbols if they are not letters."""
_MENTIONED, _POINTED_TO, _OWN_LINE, _LABEL = range(4)
"""How clearly a line says which file comes next, in ascending order."""


class LinesAbove:
    """Collects what the lines since the last block say about the file of the next block.

    A label, a tag, or the info string of a fence settles it: earlier lines no longer count, and after it only a line in
    the block's own fence can contradict it. Otherwise the lines that point to a file count (a path on its own line; a
    heading; a comment in the fence; the line above the block if it ends with a colon and mentions one file), and
    everything mentioned after them. If no line points to a file, everything mentioned counts.
    """

    def __init__(self) -> None:
        self._items: list[_Item] = []
        self._announcing: list[_Item] = []
        """Items that announce the block, perhaps with some that no longer do."""
        self._listed = False
        """Whether the last line is a path: several such lines are a list, and none of them names the file."""
        self._last_line = ""
        """The last line outside of a fence, and the last one in the fence: as a whole, each may be a name."""
        self._last_fenced_line = ""
        self._info = ""
        """The info string of the fence, if it names no file outright."""

    def name_file(self, path: str, *, fenced: bool = False) -> None:
        """Set the file that a label, tag or info string names."""
        kept = [item for item in self._items if fenced and not item.fenced]
        self._items = [*kept, _Item(Mention(as_path(path), sure=True), _LABEL, written=path, fenced=fenced)]
        self._listed = False

    def add(self, line: str, *, fenced: bool = False) -> str | None:
        """Read a line that is not blank. Returns the path if it is a label or a heading that names one."""
        if line.startswith(("--- a/", "+++ b/")):
            line = line[len("--- a/") :]
        label = self._add(line, fenced=fenced)
        self._last_fenced_line = line if fenced else ""
        if not fenced:
            self._last_line = line
        self._items += [
            _Item(literal_mention(name), _MENTIONED, fenced=fenced) for name in _names_in_label(line, fenced=fenced)
        ]
        return label

    def _add(self, line: str, *, fenced: bool) -> str | None:
        label = path_after_label(line) if line.lstrip()[:1] == "#" or ":" in line or "\uff1a" in line else None
        name = _whole_path(_strip_decoration(line))
        outright = (label if label != name else None) or _path_in_tag(line.strip())
        if outright is not None:
            self.name_file(outright, fenced=fenced)
            return label
        if not fenced:
            for item in self._announcing:
                item.announces = False
            self._announcing.clear()
        if label is not None and not fenced:
            self._items.clear()
        name = None if name is None or name.partition(".")[0].lower() in _OBJECT_NAMES else name.removeprefix("@")
        mentioned = [mention for mention in mentions(line) if mention.role != "spared"]
        if name is not None and (_is_sure(name) or not any(other.sure for other in mentioned)):
            mention = Mention(as_path(name), sure=_is_sure(name) or fenced)
            if not mention.sure:
                self._items += [_Item(other, _MENTIONED) for other in mentioned if other.path != mention.path]
            self._add_path_line(_Item(mention, _OWN_LINE, written=name, fenced=fenced))
            return label
        self._listed = False
        targets = [other for other in mentioned if other.sure and other.role == "target"]
        heading = line.lstrip().startswith("#") and not fenced
        if heading and targets:
            self._items.clear()
        points = heading or fenced or _leading_path(line) is not None
        for other in mentioned:
            item = _Item(other, _POINTED_TO if points and other.role == "target" else _MENTIONED, fenced=fenced)
            item.announces = is_announcement(line) and targets == [other]
            self._announcing += [item] if item.announces else []
            self._items.append(item)
        return None

    def add_info(self, info: str) -> None:
        """Read the info string of a fence that names no file outright."""
        self.add(info, fenced=True)
        self._last_fenced_line, self._info = "", info

    def _add_path_line(self, item: _Item) -> None:
        """Add a line that is a path."""
        last = self._items[-1] if self._listed and self._items else None
        if last is not None and last.mention.path != item.mention.path:
            last.level = item.level = _MENTIONED
            last.announces = False
            self._items.append(item)
        else:
            if not item.fenced and item.mention.sure:
                self._items.clear()
            self._items.append(item)
            item.announces = True
            self._announcing.append(item)
            item.level = _OWN_LINE if item.mention.sure else _MENTIONED
        self._listed = True

    def leave_fence(self, *, label: bool) -> None:
        """End a fence. Its content says nothing about later blocks, unless it is a single path, a `label`."""
        fenced = [item for item in self._items if item.fenced]
        self._last_fenced_line = self._info = ""
        self._items = [item for item in self._items if not item.fenced]
        if label and len(fenced) == 1 and fenced[0].level >= _OWN_LINE:
            self.name_file(fenced[0].written)

    @property
    def certain_path(self) -> str | None:
        """The file that is settled, as written: by a label, or by an uncontradicted path on its own line."""
        chosen = self._decisive_items()
        only = chosen[-1] if len({item.mention.path for item in chosen}) == 1 else None
        outright = only is not None and (only.level >= _OWN_LINE or (only.announces and not only.mention.sure))
        return only.written if only is not None and outright else None

    @property
    def candidates(self) -> tuple[Mention, ...]:
        """The files that the block may be about, likeliest last."""
        items = self._decisive_items()
        named = dict.fromkeys(item.mention for item in items)
        if not any(item.level == _LABEL for item in items):
            paths = {mention.path for mention in named}
            lines = [_strip_decoration(line) for line in (self._last_line, self._last_fenced_line) if line]
            names = [*_names_in_info(self._info), *(name for line in lines for name in _whole_names(line))]
            named = {literal_mention(name): None for name in names if as_path(name) not in paths} | named
        return tuple(named)[-_MAX_MENTIONED_FILES:]

    def _decisive_items(self) -> list[_Item]:
        """The items that count."""
        items = self._items
        label = next((number for number in range(len(items) - 1, -1, -1) if items[number].level == _LABEL), None)
        if label is not None:
            path = items[label].mention.path
            contradictions = [item for item in items[label + 1 :] if item.fenced and item.level >= _POINTED_TO]
            return [*(item for item in contradictions if not path.endswith(f"/{item.mention.path}")), items[label]]
        if items and items[-1].announces and not items[-1].mention.sure:
            return [items[-1]]  # a path on its own line right above the block counts, whatever it looks like
        pointing = [number for number, item in enumerate(items) if item.level >= _POINTED_TO or item.announces]
        if not pointing:
            return items
        behind = [item for item in items[pointing[-1] + 1 :] if item.mention.role == "target"]
        return [*behind, *(items[number] for number in pointing)]


def literal_mention(name: str) -> Mention:
    """A mention of a name that does not look like a path."""
    return Mention(as_path(name), sure=False, literal=True)


def path_after_label(line: str) -> str | None:
    """The path after a label such as `### File:`, or in a heading."""
    return None if len(line) > 2 * _MAX_PATH_CHARS else _label_path(line)


def path_on_line(line: str) -> str | None:
    """The path on a line that is a path apart from decoration, or that begins with a path set off from the rest."""
    return None if len(line) > 2 * _MAX_PATH_CHARS else _path_on_line(line)


def mentions(line: str) -> list[Mention]:
    """The files that a line may mention, in order, without duplicates."""
    line = line[:_MAX_LINE_CHARS]
    if not _may_hold_path(line):
        return []
    for nothing in (_URL, _TAG_END):
        line = pattern(nothing).sub(lambda match: " " * len(match.group()), line)
    removes = pattern(_REMOVALS).search(line) is not None
    by_word: dict[str, Mention] = {}
    end, role = 0, ""
    for word, start, sure in _candidate_words(line):
        before = line[max(0, start - _CLAUSE_CHARACTERS) : start]
        listed = role and end <= start and pattern(_LISTED).fullmatch(line[end:start])
        end = start + len(word)
        role = role if listed else _role(before, line[end : end + _CLAUSE_CHARACTERS], removes=removes)
        if word not in by_word:
            pointed = role == "target" and _is_pointed_to(word, line[:start], line[end:])
            by_word[word] = Mention(as_path(word), sure=sure or pointed, role=role)
    return list(by_word.values())


def _whole_names(text: str) -> list[str]:
    """The names that a text may be as a whole: with or without quotes, a colon, or a remark in parentheses."""
    if len(text) > 2 * _MAX_NAME_CHARS:
        return []
    bare = text.strip().strip("*").strip()
    forms = [bare, bare.rstrip(_ENDS), _unwrap(bare), _unwrap(bare.rstrip(" \t:\uff1a"))]
    return list(dict.fromkeys(form for form in forms if _may_be_name(form)))


def _may_be_name(text: str) -> bool:
    """Whether a text can be the name of a file at all."""
    if not text or len(text) > _MAX_NAME_CHARS or not _NEVER.isdisjoint(text) or "://" in text:
        return False
    return any(map(str.isalnum, text)) and not text.endswith(("/", ",", "!"))


def _names_in_label(line: str, *, fenced: bool) -> list[str]:
    """The names after a label, in a heading, in a tag or in a quotation that the line points to, if none is a path."""
    if len(line) > 2 * _MAX_PATH_CHARS:
        return []
    if ":" in line or "\uff1a" in line:
        name, _, rest = _strip_decoration(line).replace("\uff1a", ":", 1).partition(":")
        if name.strip("*_` \t").lower() in _LABELS:
            return [] if _label_path(line) is not None else _whole_names(rest)
    if line.lstrip().startswith("#") and not fenced:
        return [] if _label_path(line) is not None else _whole_names(_strip_decoration(line))
    if line.lstrip().startswith("<"):
        return _names_in_tag(line.strip())
    return [*_pointed_names(line)] if "`" in line or '"' in line or "\u201c" in line else []


def _names_in_tag(text: str) -> list[str]:
    """The names in a tag, as its text or as an attribute, that do not look like paths."""
    tag, _, rest = text[1:_MAX_PATH_CHARS].partition(">")
    name, _, attributes = tag.partition(" ")
    if name.lower() in _HTML_TAGS or _path_in_tag(text) is not None:
        return []
    if not attributes and name.lower() in _KEYS:
        return _whole_names(rest.partition("</")[0])
    pairs = (word.partition("=") for word in _words(attributes))
    return [name for key, sign, value in pairs if sign and key.lower() in _KEYS for name in _whole_names(value)]


def _pointed_names(line: str) -> Iterator[str]:
    """The quotations in a line that the words around point to: `In `notes`:`."""
    for match in pattern(_QUOTED).finditer(line):
        name = match.group(1).strip()
        if _possible_path(name) is not None or not _may_be_name(name):
            continue
        points = is_announcement(line) or _extension(name) in _SURE_EXTENSIONS
        if not points and pattern(_AFTER_POINTED).match(line[match.end(1) :]):
            before = pattern(_MARKS).sub("", line[: match.start(1)], count=1).lower()
            points = pattern(_BEFORE_POINTED).search(before) is not None
        before, behind = line[: match.start()][-_CLAUSE_CHARACTERS:], line[match.end() :][:_CLAUSE_CHARACTERS]
        if points and _role(before, behind, removes=False) == "target":
            yield name


def _names_in_info(info: str) -> list[str]:
    """The names in the info string of a fence: what follows the language, or a key."""
    rests = [rest for sign in (" ", ":", "=") if (rest := info.partition(sign)[2].strip())]
    return list(dict.fromkeys(name for rest in rests for name in _whole_names(rest)))


def is_announcement(line: str) -> bool:
    """Whether a line announces what comes next."""
    return line.rstrip().rstrip("*").endswith((":", "\uff1a"))


def is_excerpt(line: str) -> bool:
    """Whether a line says that what follows is part of a file or an example, and not a whole file."""
    if pattern(_PARTS).search(line[: 2 * _MAX_PATH_CHARS]) is None:
        return False
    words = " ".join(word for word in line[: 2 * _MAX_PATH_CHARS].split() if not is_known(_trim(word.strip("`*:,\"'"))))
    return pattern(_PARTS).search(words) is not None and pattern(_WHOLES).search(words) is None


def path_in_info(line: str) -> str | None:
    """The path in the info string of a code fence: alone, after the language, or as `title="..."`."""
    info = line.strip().lstrip("`~").strip()[: 2 * _MAX_PATH_CHARS]
    if info.isalnum():
        return None  # a language, even if there is a file of that name
    classes = info.startswith("{")
    for word in _words(info.strip("{}")):
        if classes and word.startswith("."):
            continue
        name, sign, value = word.partition("=")
        if sign and name.strip(".").lower() in _KEYS:
            rest = info.partition(f"{name}=")[2]
            spaced = "=" not in rest and not is_known(value) and _extension(rest) in _SURE_EXTENSIONS
            return rest if spaced and rest[:1] not in {'"', "'"} else _unwrap(value) or None
        language, colon, rest = word.partition(":")
        if colon and rest and not language.endswith(("/", "\\")) and len(language) > 1 and _possible_path(rest):
            return _possible_path(rest)
        if not word.isalnum() and (is_known(word) or (_possible_path(word) and ("/" in word or "\\" in word))):
            return word
    return None


def parse_fence(line: str) -> tuple[str, str] | None:
    """The characters and the info string of a line that is a fence; None for other lines."""
    text = line.strip()
    if not text.startswith(_FENCES):
        return None
    info = text.lstrip(text[0])
    return None if text[0] == "`" and "`" in info else (text[: len(text) - len(info)], info.strip())


def closes_fence(line: str, fence: str) -> bool:
    """Whether a line closes a fence."""
    text = line.strip()
    return text.startswith(fence) and not text.strip(fence[0])


def as_path(written: str) -> str:
    """A path with the separators that workspaces use."""
    path = written if "/" in written else written.replace("\\", "/")
    return path.removeprefix("./")


def is_known(word: str) -> bool:
    """Whether a word is a path beyond doubt: it has a known extension or name, or folders and an extension."""
    if _possible_path(word) is None:
        return False
    name = word.replace("\\", "/").rpartition("/")[2]
    extension = name.rpartition(".")[2].lower()
    return _is_name(name) or (name != word and "." in name) or ("." in name and extension in _KNOWN_EXTENSIONS)


@lru_cache(maxsize=64)  # several callers read the same lines
def _label_path(line: str) -> str | None:
    text = _strip_decoration(line)
    name, colon, rest = text.replace("\uff1a", ":", 1).partition(":")
    if colon and name.strip("*_` \t").lower() in _LABELS:
        path = _without_number(_unwrap(rest))
        possible = bool(path) and "://" not in path and _NEVER.isdisjoint(path)
        return path if possible and ("`" in rest or not _is_sentence(path)) else None
    is_heading = line.lstrip().startswith("#")
    return _whole_path(text) if is_heading else None


def _is_sentence(text: str) -> bool:
    """Whether a text has several words, of which the last is not a file name."""
    *_, last = text.split()
    return last != text and not is_known(last)


@lru_cache(maxsize=64)
def _path_on_line(line: str) -> str | None:
    if "." not in line and "/" not in line and "\\" not in line and ":" not in line:
        name = _unwrap(_strip_decoration(line))
        return name if _is_name(name) else None
    return (
        path_after_label(line)
        or _whole_path(_strip_decoration(line))
        or _path_in_tag(line.strip())
        or _leading_path(line)
    )


def _leading_path(line: str) -> str | None:
    """The path at the start of a heading, or in bold or backticks at the start of any line."""
    text, marked = _strip_decoration(line), line.lstrip("#>-+0123456789.) \t")
    quote = "`" if text.startswith("`") else "**" if marked.startswith("**") else ""
    if quote:
        path, _, rest = text.removeprefix(quote).partition(quote)
    else:
        path, _, rest = text.partition(" ")
    rest = rest.lstrip("*` \t")
    heading = bool(quote) or line.lstrip().startswith("#")
    path = path.strip("*` \t:")
    return path if heading and rest[:1] in _SETS_OFF and is_known(path) else None


def _path_in_tag(text: str) -> str | None:
    """The path in a tag, as its text or as an attribute."""
    if not text.startswith("<") or text.startswith("<!"):
        return None
    tag, _, rest = text[1:_MAX_PATH_CHARS].partition(">")
    name, _, attributes = tag.partition(" ")
    if name.lower() in _HTML_TAGS:
        return None
    if not attributes and name.lower() in _KEYS:
        return _possible_path(rest.partition("</")[0].strip())
    for word in _words(attributes):
        key, sign, value = word.partition("=")
        if sign and key.lower() in _KEYS:
            return _possible_path(_unwrap(value.rstrip("/")))
    return None


def _whole_path(text: str) -> str | None:
    """The path, if the whole text is one; in backticks it may contain spaces."""
    path = _without_number(_unwrap(text))
    if _possible_path(path) is not None:
        return path if _is_name(path) or not path.isalnum() else None
    quoted = text.strip("* \t:").startswith("`") and bool(path) and "`" not in path
    return path if quoted and " " in path and not _is_sentence(path) and "/" in path else None


def _candidate_words(line: str) -> Iterator[tuple[str, int, bool]]:
    """The words of a line that may be files, each with its position and whether it certainly is a file."""
    spans = [match.span(1) for match in pattern(_QUOTED).finditer(line)]
    phrases = [(start, end) for start, end in spans if " " in line[start:end].strip()]
    for start, end in phrases:  # a name with spaces, a command, or a sentence
        phrase = line[start:end].strip()
        if is_known(phrase.rpartition(" ")[2]):
            yield phrase, start, False
    for match in pattern(_WORDS).finditer(line):
        files = _paths_in_word(match.group()) if _may_hold_path(match.group().rstrip(".")) else ()
        if files:
            at = match.start()
            inside = any(start <= at < end for start, end in phrases)
            quoted = not inside and any(start <= at < end for start, end in spans)
            for word, sure in files:
                if not word.isalnum() or quoted or word in _PROPER_NAMES:
                    yield word, at + max(0, match.group().find(word)), sure and not inside


def _may_hold_path(text: str) -> bool:
    """Whether a text may contain a path: a quick test."""
    return "." in text or "/" in text or "\\" in text or pattern(_KNOWN_NAME).search(text) is not None


@lru_cache(maxsize=256)
def _paths_in_word(word: str) -> tuple[tuple[str, bool], ...]:
    """The paths that a word may be or contain, each with whether it certainly is a file.

    A word may contain two paths (a link), several (a list), or one between letters of another script.
    """
    paths: list[str] = []
    for part in word.split("]("):
        path = _trim(part)
        names = path.split("/")
        if not path.isascii() and not _is_sure(path) and not any(map(_is_odd, path)):
            paths += map(_trim, pattern(_ASCII).findall(path))
        elif len(names) > 1 and all(_extension(name) in _SURE_EXTENSIONS for name in names):
            paths += names
        else:
            paths.append(path)
    return tuple((path, _is_sure(path)) for path in paths if _possible_path(path) is not None)


def _trim(word: str) -> str:
    """A word without the punctuation and brackets around it."""
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
    """A text without emoji, arrows and full stops around it."""
    if text.isascii():
        return text
    around = {char for char in set(text) if ord(char) > _FIRST_SYMBOL and not char.isalnum() and not _is_odd(char)}
    return text.rstrip(_WIDE_STOP).strip("".join(around) or " ")


def _is_odd(char: str) -> bool:
    """Whether a character is a variant of one that occurs in paths, such as a full-width letter: it must be kept."""
    from unicodedata import normalize

    form = char if char.isascii() else normalize("NFKC", char)
    return form != char and form.isascii() and (form.isalnum() or form in _IN_PATHS)


def _extension(name: str) -> str:
    stem, _, extension = name.rpartition(".")
    return extension.lower() if stem.strip(".") else ""


def _is_sure(word: str) -> bool:
    """Whether a word certainly is a file name, and not an attribute of an object, a library, or a plain word."""
    name = word.replace("\\", "/").rpartition("/")[2]
    stem = name.lower().rpartition(".")[0]
    if _possible_path(word) is None or name.lower() in _LIBRARIES or (name == word and stem in _OBJECT_NAMES):
        return False
    if name in _DOTFILES or name.startswith((".env.", ".eslintrc.", ".prettierrc.")):
        return True
    known = _KNOWN_EXTENSIONS if name != word else _SURE_EXTENSIONS
    if name != word and _extension(name) in known:
        return True
    return (
        _is_typed(name, known)
        or (name in _PROPER_NAMES and name not in _PLAIN_WORDS)
        or name.partition(".")[0] in _NAMES_WITH_EXTENSIONS
    )


def _is_typed(name: str, known: frozenset[str]) -> bool:
    """Whether a name without folders has one of some extensions, and is not an abbreviation or attribute."""
    extension = _extension(name)
    if len(name) == _ABBREVIATION_LENGTH:
        return name.endswith((".c", ".h"))
    doubtful = extension in _AMBIGUOUS_EXTENSIONS or extension not in _SURE_EXTENSIONS
    if doubtful and name.lower().rpartition(".")[0] in _OWNER_NAMES:
        return False
    return extension in known and (extension not in _AMBIGUOUS_EXTENSIONS or name.endswith(extension))


def _is_pointed_to(word: str, before: str, behind: str) -> bool:
    """Whether the position of a possible file name confirms it: after "in" or "next", or alone in a table cell."""
    name = word.rpartition("/")[2]
    if name.lower() in _LIBRARIES or (name == word and name.lower().rpartition(".")[0] in _OBJECT_NAMES):
        return False
    if " " in word or word.lower() in _SLASHED_WORDS:
        return False
    folders = name != word and not word.startswith(("/", *_MIME)) and bool(name.strip(".0123456789"))
    if not (folders or _is_typed(name, _KNOWN_EXTENSIONS) or _is_name(name) or name == ".env"):
        return False
    quoted = before.endswith("`") and behind.startswith("`")
    if before.count("`") % 2 and not quoted:
        return False  # in a command or a sentence
    rest = pattern(_MARKS).sub("", before, count=1).lower()
    if not pattern(_BEFORE_POINTED).search(rest) or not (before.strip() or behind.strip()):
        return False
    return bool(rest and (quoted or before.endswith("**"))) or pattern(_AFTER_POINTED).match(behind) is not None


def _role(before: str, behind: str, *, removes: bool) -> str:
    """The role of a file in a sentence, by the words around it: see `Mention.role`."""
    before = before.lower()
    clause = pattern(_CLAUSE).split(before.rstrip(" \t`*\"'[<_\u201c"))[-1]
    if _is_spared(before, behind.lower()):
        return "spared"
    if pattern(_ASIDES).search(clause) or pattern(_RUN).search(before.rstrip("`*\"'")):
        return "aside"
    return "source" if not removes and pattern(_SOURCES).search(clause) else "target"


def _is_spared(before: str, behind: str) -> bool:
    """Whether a sentence says that a file stays as it is, or is only run."""
    bare = before.rstrip("`*\"'[<_\u201c")
    if pattern(_SPARED).search(bare):
        return pattern(_SO_FAR).match(behind) is None
    if pattern(_BEFORE_LEFT).search(bare) and pattern(_AFTER_LEFT).match(behind):
        return True
    unchanged = pattern(_UNCHANGED).match(behind)
    return unchanged is not None and pattern(_HOWEVER).search(unchanged["rest"]) is None


class _Item:
    """A mention, and how clearly it says what comes next."""

    def __init__(self, mention: Mention, level: int, *, written: str = "", fenced: bool = False) -> None:
        self.mention = mention
        self.level = level
        self.written = written
        self.fenced = fenced
        self.announces = False
        """Whether its line is the last one above the block and announces it."""


def _strip_decoration(line: str) -> str:
    """A line without the marks of a heading, a list item, a quotation or a comment."""
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


def _unwrap(text: str) -> str:
    """A path without emphasis, quotes, a remark in parentheses, or a colon around it."""
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


def _without_number(path: str) -> str:
    """A path without the line number after it."""
    name, colon, number = path.rpartition(":")
    return name if colon and number.isdecimal() and name else path


def _possible_path(text: str) -> str | None:
    """The text, if it may be a path: one word, with a folder, an extension or a known name."""
    if not text or len(text) > _MAX_PATH_CHARS or " " in text or not _NO_PATH.isdisjoint(text):
        return None
    if text.isalnum():
        return text if text.lower() in _KNOWN_NAMES else None
    if "://" in text or "..." in text or text.endswith((".", ",", "!", "/", "\\", ")")):
        return None
    name = text.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    if name != text or _is_name(name) or name.startswith("."):
        return text
    letters = extension.isalnum() and any(map(str.isalpha, extension)) and not extension[0].isdigit()
    return text if dot and stem and letters and "(" not in text else None


def _is_name(word: str) -> bool:
    """Whether a word is a well-known file name; names that are also words must be in capitals."""
    return word.lower() in _OWN_NAMES or word in _PLAIN_WORDS


def _words(info: str) -> list[str]:
    """The words of an info string; a quoted word may contain spaces."""
    return pattern(_INFO_WORDS).findall(info)
