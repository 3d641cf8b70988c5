"""Whom a text is for: what this reader calls an argument, a setting, a tool or a part of a reply.

Results and errors are values; every sentence about them is made once, for one audience. Where two readers need
different words, the sentence asks the audience. Nobody replaces words in a finished sentence.

The module is at the bottom of the layers because a session carries its audience: most sentences are made in `wording`,
but a few reasons and warnings that name a setting are made where they are found.
"""

from __future__ import annotations

from suture.records import Record

__all__ = ["EDITOR", "MODEL", "PATCH_WRITER", "TERMINAL", "Audience", "Editor", "PatchWriter", "Terminal"]

_IN_JSON = {"edits", "patches"}
"""Arguments that the command line takes as JSON, in which they keep their own names."""
_WORDS_OF_COMMANDS = {
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
"""Arguments of tools that are not options of the same name on the command line."""
_COMMANDS = {"file_read": "suture read"}
_SETTINGS = {
    "allow_executables": "--allow-executables",
    "check_call_ms": "--max-time",
    "check_max_files": "--max-files",
    "check_max_issues": "--max-issues",
    "project_commands": "--allow-commands",
}
"""Settings that an option of a command changes."""
_EDITOR_ARGUMENTS = {"old_text": "old_str", "new_text": "new_str"}


class Audience(Record):
    """A reader; without further words, a model that calls the tools by their own names."""

    part: str = "block"
    """What a part of a reply is called,"""
    hunk: str = "block"
    """what the part of it is called that a single change is,"""
    source: str = "reply"
    """and what holds them all."""
    old_part: str = "its SEARCH part"
    """What a block calls the text to find."""
    prints_data: bool = False
    """Whether this reader is shown the diff and the checks from the data: then the text leaves them out."""

    def argument(self, name: str) -> str:
        """What gives an argument of a tool."""
        return name

    def of_edit(self, index: int, name: str) -> str:
        """Where one of the edits has an argument."""
        return f"edits[{index}].{name}"

    def setting(self, name: str) -> str:
        """What changes a setting."""
        return name

    def tool(self, name: str) -> str:
        """How a tool is called."""
        return name

    def turn_on(self, flag: str) -> str:
        """How to turn a flag on, as an order."""
        return f"set {flag}"

    def add_literal(self) -> str:
        """How to say that a placeholder is meant as text, as an order."""
        return "add literal: true"

    def choose(self, argument: str, choice: str) -> str:
        """How to choose one of an argument's values, as an order."""
        return f'set {argument} to "{choice}"'

    def choice(self, argument: str, choice: str) -> str:
        """One of an argument's values, where the sentence has named the argument."""
        del argument
        return f'"{choice}"'

    def by(self, argument: str) -> str:
        """The argument that an order is carried out with, where the order does not say it by itself."""
        del argument
        return ""

    def update_occurrences(self, number: int) -> str:
        """How to expect another number of occurrences, as an order."""
        return f"Update occurrences to {number}"

    def text_given_by(self, argument: str) -> str:
        """The text that an argument gives, as the subject of a sentence."""
        return argument

    def whole_content(self) -> str:
        """How to write a file whole, as an order."""
        return "give its whole content instead"

    def correction(self, path: str, edit: str, *, others: str) -> tuple[str, str]:
        """How to send a corrected edit, as an order and what to send; `others` says what becomes of other edits."""
        del path
        return f"Send this edit{others or ' instead'}", edit

    def mark_failure(self, sentence: str) -> str:
        """The first line of a refusal of `safe_edit`."""
        return f"❌ {sentence}"


class Terminal(Audience):
    """Someone at a command line: arguments are options, tools are commands, a correction is a command to copy."""

    prints_data: bool = True
    edit_options: str = ""
    """What follows the edits in a command that makes a corrected edit."""

    def argument(self, name: str) -> str:
        """An option, or what a command's help calls the word; what is inside JSON has its own name."""
        first = name.partition("[")[0]
        return name if first in _IN_JSON else _WORDS_OF_COMMANDS.get(first) or f"--{first.replace('_', '-')}"

    def setting(self, name: str) -> str:
        """An option, where there is one."""
        return _SETTINGS.get(name, name)

    def tool(self, name: str) -> str:
        """A command."""
        return _COMMANDS.get(name, name)

    def turn_on(self, flag: str) -> str:
        """By an option."""
        return f"add {self.argument(flag)}"

    def add_literal(self) -> str:
        """As any flag."""
        return self.turn_on("literal")

    def choose(self, argument: str, choice: str) -> str:
        """By an option and its value."""
        return f"use {self.choice(argument, choice)}"

    def choice(self, argument: str, choice: str) -> str:
        """With the option that takes it."""
        return f"{self.argument(argument)} {choice}"

    def by(self, argument: str) -> str:
        """The option."""
        return f" by {self.argument(argument)}"

    def update_occurrences(self, number: int) -> str:
        """By an option."""
        return f"Give {self.argument('occurrences')} {number}"

    def text_given_by(self, argument: str) -> str:
        """What the option says."""
        return f"What {self.argument(argument)} says"

    def whole_content(self) -> str:
        """By a command of its own."""
        return f"{super().whole_content()}, by suture write"

    def correction(self, path: str, edit: str, *, others: str) -> tuple[str, str]:
        """A command to copy; one of several edits is a part of what was sent as JSON."""
        if others:
            return super().correction(path, edit, others=others)
        from shlex import quote  # only a failure needs it

        name = f"./{path}" if path.startswith("-") else path
        return "Type this instead", f"suture edit {quote(name)} {quote(_printable(edit))}{self.edit_options}"

    def mark_failure(self, sentence: str) -> str:
        """No mark: the line begins with the error's code."""
        return sentence


class Editor(Audience):
    """A model that was trained on the text editor of Anthropic's API: one edit, and other names for its two texts."""

    def argument(self, name: str) -> str:
        """The editor's own name."""
        return _EDITOR_ARGUMENTS.get(name, name)

    def of_edit(self, index: int, name: str) -> str:
        """The editor's own name; there is only one edit."""
        del index
        return self.argument(name)


class PatchWriter(Audience):
    """A model that was trained on `apply_patch`: it sends one patch, of sections and hunks."""

    part: str = "section"
    hunk: str = "hunk"
    source: str = "input"
    old_part: str = "its context and - lines"


MODEL = Audience()
TERMINAL = Terminal()
EDITOR = Editor()
PATCH_WRITER = PatchWriter()


def _printable(document: str) -> str:
    """JSON that says the same, without characters that a terminal would obey or nobody sees."""
    return "".join(char if char.isprintable() else _escaped(char) for char in document)


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
