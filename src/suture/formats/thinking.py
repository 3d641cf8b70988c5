"""Recognize the thinking that a model prints before its reply; it is never part of the reply.

Thinking is the text between a pair of tags (`<think>`, `[THINK]`, `<|begin_of_thought|>` …), in harmony's analysis
channel, or in an HTML comment over several lines. Without an end, it extends to the end of the reply. An end without a
beginning is common, because the beginning may be part of the prompt: everything before it is thinking. Only the end of
an HTML comment means nothing alone, because it may also be an arrow.

Prose may mention tags. So a beginning without an end counts only at the start of its line, and an end without a
beginning only at the start or end of its line, ignoring other tags and the model's tokens.

Tags in inline code or in quotes are only mentioned. The caller must know whether a line is inside a code fence or a
block, where tags are content. `<plan>` and `<details>` are not thinking: models put edits into them.
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
"""Names that models mix up: the end of one may end another."""
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
"""In harmony, the mark of a message that calls a tool."""
_SURE = {"name think", "name thinking", "comment", "harmony"}
_ENDS = {"name": "end", "square": "end_square", "kimi": "end_kimi", "entity": "end_entity", "pipe": "end_pipe"}
"""Groups of the pattern for the name of a tag, each with the group for its slash."""


class Thought(Record):
    """Some thinking in a reply."""

    line: int
    """The line of the reply at which it begins, counted from 1."""
    end_line: int
    tag: str
    """Its beginning as written, or its end if it has no beginning."""
    blocks: int
    """The number of blocks in it that could have been applied."""
    missing: str = ""
    """`end`: it extends to the end of the reply. `beginning`: it begins at the start of the reply."""


class Tag(Record):
    """The beginning or end of thinking in a line."""

    name: str
    begins: bool
    start: int
    end: int
    written: str
    at_start: bool
    """Whether its line begins with it, ignoring other tags and tokens."""
    at_end: bool

    def ends(self, begun: Tag) -> bool:
        """Whether it ends the thinking that another tag began."""
        if self.begins or begun.name == "harmony":
            return not self.begins and self.name in {"harmony", "channel", "message"}
        return self.family == begun.family

    @property
    def family(self) -> str:
        """The name, or one common name for names that models mix up."""
        kind, _, name = self.name.rpartition(" ")
        return f"{kind} think" if name.rpartition(":")[2] in _FAMILY else self.name


class TaggedLine(Record):
    """The parts of a line that contains tags."""

    shown: str
    """The part that is not thinking."""
    hidden: str
    lone: Tag | None
    """An end without a beginning."""


class Thinking:
    """Reads a reply line by line and separates the thinking from it."""

    def __init__(self) -> None:
        self.tag: Tag | None = None
        """The beginning of the thinking that has not ended."""
        self._channels = False
        """Whether harmony's channels have been named: then the final channel is not an end without a beginning."""
        self._inner: dict[str, int] = {}
        """The number of open tags inside the thinking, by name, of the same family with another name."""

    def read(self, line: str, unpaired: Collection[int] = ()) -> TaggedLine | None:
        """Separate a line with tags; None if it has none. Beginnings at `unpaired` are only mentioned."""
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
        text = "".join(shown)
        is_call = _RECIPIENT in text  # the reader of calls needs the tokens
        return TaggedLine(text if is_call else pattern(_CONTROL).sub("", text), "".join(hidden), lone)

    def _ends(self, tag: Tag, begun: Tag) -> bool:
        """Whether a tag ends the thinking; tags inside it may have ends of their own."""
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
    """All beginnings and ends of thinking in a line."""
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
        blank = blank and not _without_tokens(line[last : match.start()])
        last = match.end()
        result.append(Tag(name, begins, match.start(), last, match.group(), at_start=blank, at_end=False))
    for number in range(len(result) - 1, -1, -1):
        if _without_tokens(line[result[number].end : last if number < len(result) - 1 else len(line)]):
            break
        last = result[number].start
        result[number] = result[number].evolve(at_end=True)
    return result


def is_end(line: str) -> bool:
    """Whether a line is nothing but an end of thinking."""
    line_tags = tags(line)
    return (
        len(line_tags) == 1
        and not line_tags[0].begins
        and line_tags[0].written == line.strip()
        and line_tags[0].name != "comment"
    )


def _without_tokens(text: str) -> str:
    """A text without the model's tokens."""
    return pattern(_CONTROL).sub("", text).strip()


def _tag_name(groups: dict[str, str]) -> tuple[str, bool]:
    """The name of a tag, and whether it is a beginning."""
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
