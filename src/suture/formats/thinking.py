"""Recognize what a model thinks and prints before it replies: it is never a part of the reply.

Thinking is what is between a pair of tags (`<think>`, `[THINK]`, `<|begin_of_thought|>` …), in harmony's analysis
channel, or in an HTML comment over several lines. Without an end, it goes on to the end of the reply. An end without a
beginning is common, for the beginning may be a part of the prompt: everything before it is thinking. Only the end of an
HTML comment, which is an arrow as well, means nothing alone.

Prose may speak of tags. So a beginning without an end counts only if its line begins with it, and an end without a
beginning only if its line begins or ends with it; other tags and tokens of the model do not matter there.

Tags in inline code or in quotes are talked about. Whether a line is inside a code fence or a block, where tags are
content, is for the reader of the reply to know. `<plan>` and `<details>` are no thinking: models put edits into them.
"""

from __future__ import annotations

from suture.formats import pattern
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_NAMES = (
    r"(?:[\w.-]+:)?think(?:ing)?|thoughts?|reasoning|reasoning_content|scratchpad|analysis|reflection|ant_?thinking|"
    r"thinking_process|thought_process|inner_monologue|chain_of_thought|cot"
)
_FAMILY = {"think", "thinking", "thought", "thoughts", "reasoning"}
"""Names that models mix up: the end of one is that of another."""
_TAGS = (
    r"(?P<code>(?<!`)(?P<tick>`{1,3})(?!`).+?(?P=tick)|(?P<quote>[\"'])</?[^<>]*>(?P=quote)|<!--.{0,1000}?-->)"
    rf"|(?i:<\s*(?P<end>/?)\s*(?P<name>{_NAMES})(?:\s[^<>]*)?(?P<empty>/?)>)"
    r"|\[(?P<end_square>/?)(?P<square>THINK|THINKING)\]"
    r"|(?i:\u25c1(?P<end_kimi>/?)(?P<kimi>think)\u25b7)"
    rf"|(?i:&lt;\s*(?P<end_entity>/?)\s*(?P<entity>{_NAMES})(?:\s[^<>&]*)?&gt;)"
    r"|(?i:<\|(?P<end_pipe>/?)(?P<pipe>think|thinking|thought|reasoning)\|>)"
    r"|(?i:<\|?(?P<bar>begin|start|end)_(?:of_)?(?P<bar_name>think|thinking|thoughts?|reasoning)\|?>)"
    r"|(?i:<\|channel\|>\s*(?P<channel>[a-z]+))|(?P<message_end><\|end\|>)"
    r"|(?P<comment><!--)|(?P<comment_end>-->)"
)
_CONTROL = r"<\|(?:start\|>(?:assistant)?|channel\|>\s*[a-z]+|message\|>|end\|>|return\|>|call\|>)"
_RECIPIENT = " to=functions."
"""In harmony, what a message says that calls a tool."""
_SURE = {"name think", "name thinking", "comment", "harmony"}
_ENDS = {"name": "end", "square": "end_square", "kimi": "end_kimi", "entity": "end_entity", "pipe": "end_pipe"}
"""Groups of the pattern with the name of a tag, and those with its slash."""


class Thought(Record):
    """Some thinking in a reply."""

    line: int
    """Where it begins in the reply, counted from 1."""
    end_line: int
    tag: str
    """Its beginning as written; of an end without a beginning, that end."""
    blocks: int
    """How many blocks it holds that could have been applied."""
    missing: str = ""
    """`end`: it takes all that follows. `beginning`: it takes all that comes before."""


class Tag(Record):
    """A beginning or an end of thinking in a line."""

    name: str
    begins: bool
    start: int
    end: int
    written: str
    at_start: bool
    """Whether its line begins with it, other tags and tokens not counted."""
    at_end: bool

    def ends(self, begun: Tag) -> bool:
        """Whether it ends what another tag began."""
        if self.begins or begun.name == "harmony":
            return not self.begins and self.name in {"harmony", "channel", "message"}
        return self.family == begun.family

    @property
    def family(self) -> str:
        """What its name has in common with others."""
        kind, _, name = self.name.rpartition(" ")
        return f"{kind} think" if name.rpartition(":")[2] in _FAMILY else self.name


class Seen(Record):
    """A line with tags in it."""

    shown: str
    """What of it is no thinking."""
    hidden: str
    lone: Tag | None
    """An end that nothing began."""


class Thinking:
    """Follows a reply line by line, and separates the thinking from it."""

    def __init__(self) -> None:
        self.tag: Tag | None = None
        """The beginning that has no end so far."""
        self._channels = False
        """Whether harmony's channels have been named: then the final one is no end without a beginning."""
        self._inner: dict[str, int] = {}
        """How often tags of the same family, but of other names, began inside the thinking and did not end."""

    def read(self, line: str, unpaired: Collection[int] = ()) -> Seen | None:
        """What a line says with tags in it; None if it has none. Of beginnings that are `unpaired` it only speaks."""
        line_tags = tags(line)
        if not line_tags:
            return None
        shown: list[str] = []
        hidden: list[str] = []
        lone: Tag | None = None
        at = 0
        for tag in line_tags:
            (shown if self.tag is None else hidden).append(line[at : tag.start])
            at = tag.start
            if self.tag is None and tag.begins and tag.start not in unpaired:
                self.tag, at = tag, tag.end
            elif self.tag is not None and self._ends(tag, self.tag):
                self.tag, at = None, tag.end
            elif self.tag is None and self._is_lone(tag):
                lone, at = tag, tag.end
                shown.clear()
                self._channels = False
            self._channels = self._channels or tag.name in {"harmony", "channel"}
        (shown if self.tag is None else hidden).append(line[at:])
        said = "".join(shown)
        is_call = _RECIPIENT in said  # its reader knows it by the tokens
        return Seen(said if is_call else pattern(_CONTROL).sub("", said), "".join(hidden), lone)

    def _ends(self, tag: Tag, begun: Tag) -> bool:
        """Whether a tag ends the thinking; another one may be inside it, with an end of its own."""
        inner = self._inner.get(tag.name, 0)
        if tag.begins:
            if tag.name != begun.name and tag.family == begun.family:
                self._inner[tag.name] = inner + 1
            return False
        if inner:
            self._inner[tag.name] = inner - 1
            return False
        if not tag.ends(begun):
            return False
        self._inner.clear()
        return True

    def _is_lone(self, tag: Tag) -> bool:
        if tag.begins or tag.name in {"comment", "message", "channel"} or not (tag.at_start or tag.at_end):
            return False
        return tag.name != "harmony" or not self._channels


def tags(line: str) -> list[Tag]:
    """The beginnings and ends of thinking in a line."""
    result: list[Tag] = []
    last = 0
    blank = True
    for match in pattern(_TAGS).finditer(line):
        groups = {name: value for name, value in match.groupdict().items() if value is not None}
        if "code" in groups or groups.get("empty"):
            continue
        name, begins = _tag_name(groups)
        if begins and name not in _SURE and line[: match.start()][-1:].isalnum():
            continue  # a type: List<Thought>
        blank = blank and not _said(line[last : match.start()])
        last = match.end()
        result.append(Tag(name, begins, match.start(), last, match.group(), at_start=blank, at_end=False))
    for number in range(len(result) - 1, -1, -1):
        if _said(line[result[number].end : last if number < len(result) - 1 else len(line)]):
            break
        last = result[number].start
        result[number] = result[number].but(at_end=True)
    return result


def is_end(line: str) -> bool:
    """Whether a line is an end of thinking, and nothing else."""
    line_tags = tags(line)
    return (
        len(line_tags) == 1
        and not line_tags[0].begins
        and line_tags[0].written == line.strip()
        and line_tags[0].name != "comment"
    )


def _said(text: str) -> str:
    """What of a text is no token of the model."""
    return pattern(_CONTROL).sub("", text).strip()


def _tag_name(groups: dict[str, str]) -> tuple[str, bool]:
    """What a tag is called, and whether it begins something."""
    if "channel" in groups:
        channel = groups["channel"].lower()
        return "harmony" if channel in {"analysis", "final"} else "channel", channel == "analysis"
    if "bar" in groups:
        return groups["bar_name"].lower(), groups["bar"].lower() != "end"
    if "message_end" in groups:
        return "message", False
    if "comment" in groups or "comment_end" in groups:
        return "comment", "comment" in groups
    kind = next(name for name in _ENDS if name in groups)
    return f"{kind} {groups[kind].lower()}", not groups[_ENDS[kind]]
