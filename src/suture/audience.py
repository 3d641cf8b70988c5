"""The reader of a text: what they call an argument, a setting, a tool or a part of a reply.

Results and errors are values; each sentence about them is made once, for one audience. If two readers need different
words, the sentence gets them from the audience. Words in a finished sentence are never replaced.

The module is far down in the layers because a session carries its audience: most sentences are made in `wording`,
but a few reasons and warnings that name a setting are made where they arise.
"""

from __future__ import annotations

from suture.records import Record
from suture.settings import how_to_set

__all__ = [
    "AGENT",
    "EDITOR",
    "MODEL",
    "PATCH_WRITER",
    "TERMINAL",
    "Agent",
    "Audience",
    "Editor",
    "PatchWriter",
    "Terminal",
]

_IN_JSON = {"edits", "patches"}
"""Arguments that the command line takes as JSON; inside it, they keep their own names."""
_COMMAND_WORDS = {
    "change_id": "ID",
    "content": "stdin",
    "file_path": "PATH",
    "line_edits": "--lines",
    "name": "NAME",
    "path": "PATH",
    "paths": "PATH",
    "pattern": "PATTERN",
    "replacement": "REPLACEMENT",
    "reply": "the reply",
}
"""Tool arguments that are not options of the same name on the command line."""
_COMMANDS = {"file_read": "suture read", "history": "suture log", "redo": "suture redo"}
_SETTINGS = {
    "allow_executables": "--allow-executables",
    "check_call_ms": "--max-time SECONDS",
    "check_max_files": "--max-files N",
    "check_max_issues": "--max-issues N",
    "project_commands": "--allow-commands",
    "regex_file_ms": "--timeout SECONDS",
}
"""Settings that the commands concerned have an option for."""
_EDITOR_ARGUMENTS = {"old_text": "old_str", "new_text": "new_str"}
_AGENT_ARGUMENTS = {"old_text": "old_string", "new_text": "new_string", "path": "file_path", "start_line": "offset"}
_AGENT_TOOLS = {"file_read": "read", "history": "undo with list: true", "redo": "undo for the change that undid it"}


class Audience(Record):
    """A reader; by default, a model that calls the tools by their own names."""

    part: str = "block"
    """The word for a part of a reply."""
    hunk: str = "block"
    """The word for a part that makes a single change."""
    source: str = "reply"
    """The word for the whole."""
    create_file: str = "send a NEW_FILE block"
    """How to create a file with it, as an imperative."""
    old_part: str = "its SEARCH part"
    """The words for the part with the text to find."""
    is_about_block: bool = False
    """Whether the sentence is about a block of a reply, which fails alone, and not about a call, which fails whole."""
    old_text: str = "oldText"
    new_text: str = "newText"
    """The words for the two texts."""
    unchanged: str = "Nothing was changed. "
    """How the hint of a call that failed begins."""
    resend: str = "Send the patch again"
    """How to send the corrected change, as an imperative without its end."""
    path_sent: str = ""
    """The file as the caller named it, if the reader wants to see it so."""
    prints_data: bool = False
    """Whether the diff and the checks are printed from the data; if so, the text leaves them out."""
    folder: str = ""
    """The folder from which the reader writes paths, relative to the root; empty for the root itself."""

    def about_block(self, old_part: str = "") -> Audience:
        """The same reader of a sentence about a block of a reply; `old_part` as the block's notation has it."""
        return self.evolve(
            is_about_block=True,
            old_part=old_part or self.old_part,
            old_text="the text",
            new_text="the new text",
            unchanged="",
            resend="Send this block again",
        )

    def argument(self, name: str) -> str:
        """The name of a tool's argument."""
        return name

    def of_edit(self, index: int, name: str) -> str:
        """The name of an argument of one edit."""
        return f"edits[{index}].{name}"

    def of_this_edit(self, name: str) -> str:
        """The name of an argument of the edit that the sentence is about."""
        return name

    def text_to_send(self, name: str, text: str, json: str) -> str:
        """A text argument of an edit, to copy; `json` is an object with only this argument."""
        del name, text
        return json

    def setting(self, name: str) -> str:
        """How to set a setting."""
        return how_to_set(name)

    def ask_operator(self, task: str, setting: str) -> str:
        """How to get done what only the operator can do, as an imperative; `task` is one too."""
        return f"ask the operator to {task} ({self.setting(setting)})"

    def path(self, name: str) -> str:
        """A path from the root on, as the reader writes it; an absolute one, below another root, stays as it is."""
        if not self.folder or name.startswith("/"):
            return name
        own, names = self.folder.split("/"), name.split("/") if name not in {"", "."} else []
        same = 0
        while same < min(len(own), len(names)) and own[same] == names[same]:
            same += 1
        return "/".join([*[".."] * (len(own) - same), *names[same:]]) or "."

    def base(self) -> str:
        """What the reader's paths are relative to."""
        return "the current folder" if self.folder else "the workspace root"

    def tool(self, name: str) -> str:
        """The name of a tool."""
        return name

    def turn_on(self, flag: str) -> str:
        """How to turn a flag on, as an imperative."""
        return f"set {flag}"

    def add_literal(self) -> str:
        """How to mark a placeholder as text, as an imperative."""
        return "add literal: true"

    def choose(self, argument: str, choice: str) -> str:
        """How to choose one of an argument's values, as an imperative."""
        return f'set {argument} to "{choice}"'

    def by(self, argument: str) -> str:
        """The argument to use, for an imperative that does not name it; empty if the reader does not need it."""
        del argument
        return ""

    def update_occurrences(self, number: int) -> str:
        """How to expect another number of occurrences, as an imperative."""
        return f"Update occurrences to {number}"

    def text_given_by(self, argument: str) -> str:
        """The value of a text argument, as the subject of a sentence."""
        return argument

    def whole_content(self) -> str:
        """How to write a whole file, as an imperative."""
        return "give its whole content instead"

    def correction(self, path: str, edit: str, *, others: str) -> tuple[str, str]:
        """How to send a corrected edit: an imperative, and what to send. `others` says what to do with other edits."""
        del path
        return f"Send this edit{others or ' instead'}", edit

    def mark_failure(self, mark: str, sentence: str) -> str:
        """The first line of a refusal: the mark is the error's code or, for some tools, a sign."""
        return f"{mark} {sentence}"


class Terminal(Audience):
    """A person at a terminal: arguments are options, tools are commands, a correction is a command to copy."""

    prints_data: bool = True
    by_options: bool = False
    """Whether the call's only edit is given by options; otherwise it is JSON, which has its own names."""
    edit_options: str = ""
    """What follows the edits in the command for a corrected edit."""

    def argument(self, name: str) -> str:
        """An option, or a word of the command's help; an argument inside JSON has its own name."""
        first = name.partition("[")[0]
        return name if first in _IN_JSON else _COMMAND_WORDS.get(first) or f"--{first.replace('_', '-')}"

    def of_edit(self, index: int, name: str) -> str:
        """An option, if the edit is given by options."""
        return self.argument(name) if self.by_options else super().of_edit(index, name)

    def of_this_edit(self, name: str) -> str:
        """An option, if the edit is given by options."""
        return self.argument(name) if self.by_options else name

    def text_to_send(self, name: str, text: str, json: str) -> str:
        """An option to copy, unless the shell would need another way of quoting."""
        from shlex import quote  # only a failure needs it

        return f"{self.argument(name)}={quote(text)}" if self.by_options and text.isprintable() else json

    def setting(self, name: str) -> str:
        """The command's own option, if there is one."""
        return _SETTINGS.get(name) or super().setting(name)

    def ask_operator(self, task: str, setting: str) -> str:
        """Whoever types a command is the operator."""
        return f"{task} ({self.setting(setting)})"

    def tool(self, name: str) -> str:
        """A command."""
        return _COMMANDS.get(name, name)

    def turn_on(self, flag: str) -> str:
        """With an option."""
        return f"add {self.argument(flag)}"

    def add_literal(self) -> str:
        """Like any flag."""
        return self.turn_on("literal")

    def choose(self, argument: str, choice: str) -> str:
        """With an option and its value."""
        return f"use {self.argument(argument)} {choice}"

    def by(self, argument: str) -> str:
        """The option."""
        return f" with {self.argument(argument)}"

    def update_occurrences(self, number: int) -> str:
        """With an option."""
        return f"Give {self.argument('occurrences')} {number}"

    def text_given_by(self, argument: str) -> str:
        """The option's text."""
        return f"The text of {self.argument(argument)}"

    def whole_content(self) -> str:
        """With another command."""
        return f"{super().whole_content()}, with suture write"

    def correction(self, path: str, edit: str, *, others: str) -> tuple[str, str]:
        """A command to copy; one of several edits is a part of the JSON that was sent."""
        if others:
            return super().correction(path, edit, others=others)
        from shlex import quote  # only a failure needs it

        name = f"./{path}" if path.startswith("-") else path
        return "Type this instead", f"suture edit {quote(name)} {quote(_printable(edit))}{self.edit_options}"

    def mark_failure(self, mark: str, sentence: str) -> str:
        """Without the mark: a command prints the error's code itself."""
        del mark
        return sentence


class Editor(Audience):
    """A model trained on the text editor of Anthropic's API: one edit, and other names for its two texts."""

    def argument(self, name: str) -> str:
        """The editor's own name."""
        return _EDITOR_ARGUMENTS.get(name, name)

    def of_edit(self, index: int, name: str) -> str:
        """The editor's own name; there is only one edit."""
        del index
        return self.argument(name)

    def of_this_edit(self, name: str) -> str:
        """Like `of_edit`."""
        return self.argument(name)

    def mark_failure(self, mark: str, sentence: str) -> str:
        """As the editor's documentation has it."""
        del mark
        return f"Error: {sentence}"


class Agent(Audience):
    """A model that calls the few tools of the profile `agent`, and pays for every token.

    Each of its edits is worded like a block of a reply; the tool says which edit it is, and that nothing was changed.
    """

    part: str = "edit"
    hunk: str = "edit"
    old_part: str = "old_string"
    is_about_block: bool = True
    old_text: str = "old_string"
    new_text: str = "new_string"
    unchanged: str = ""
    resend: str = "Send the edit again"

    def argument(self, name: str) -> str:
        """The names of these tools."""
        return _AGENT_ARGUMENTS.get(name, name)

    def of_edit(self, index: int, name: str) -> str:
        """Without the edit, which the tool names."""
        del index
        return self.argument(name)

    def of_this_edit(self, name: str) -> str:
        """Like `of_edit`."""
        return self.argument(name)

    def tool(self, name: str) -> str:
        """The tool of this profile that does the same."""
        return _AGENT_TOOLS.get(name, name)


class PatchWriter(Audience):
    """A model trained on `apply_patch`: it sends one patch, made of sections and hunks."""

    part: str = "section"
    hunk: str = "hunk"
    source: str = "input"
    create_file: str = "use *** Add File: PATH"
    old_part: str = "its context and - lines"

    def about_block(self, old_part: str = "") -> Audience:
        """With hunks instead of blocks."""
        return super().about_block(old_part).evolve(resend="Write the hunk")


AGENT = Agent()
MODEL = Audience()
TERMINAL = Terminal()
EDITOR = Editor()
PATCH_WRITER = PatchWriter()


def _printable(document: str) -> str:
    """The same JSON, with control and invisible characters escaped."""
    return "".join(char if char.isprintable() else _escape(char) for char in document)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
