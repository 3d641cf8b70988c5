"""Python, judged by the compiler of the interpreter that runs this: a newer or older syntax is an error to it.

Nothing is run, and warnings are kept back. The compiler cannot be interrupted, and some texts make it take forever, or
crash, so those are known here. `finally` inside `finally` doubles the code at every level; comprehensions inside each
other, more than 20, end the process (Python 3.12 and 3.13); equal functions are compared with each other, too long
where a file has thousands (Python 3.11). These go to the parser and the symbol table alone, which miss a few errors,
such as `return` outside a function. A name of thousands of parts in an import, and thousands of fields in an f-string
on one line, are beyond the parser, too.

Rejected: the symbol table for all files. It takes four fifths of the time and finds less. The AST takes longer.
"""

from __future__ import annotations

from _thread import allocate_lock

from suture.validate.issue import Issue, NotRunError
from suture.validate.places import INVALID, Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.validate.issue import Staging

_ONLY_AST = 1024  # ast.PyCF_ONLY_AST
_LONGEST = 4_000_000
_LONGEST_COMPILED = 400_000
_MOST_FINALLY = 6
_DEEPEST = 15
_STEPS = {**dict.fromkeys("[({", 1), **dict.fromkeys("])}", -1)}
_LONG_LINE, _MOST_DOTS, _MOST_FIELDS = 2_000, 1_000, 10_000
_TEMPLATE = r"(?m)^[ \t]*\{%|\{\{ ?cookiecutter\b"
_one_at_a_time = allocate_lock()


class PythonSyntax:
    """Python's own syntax errors."""

    name = "python"
    files = ("*.py", "*.pyi", "*.pyw", "SConstruct", "SConscript", "wscript")
    syntax_codes = (INVALID,)
    first_only = True
    tame = 1_000  # `lambda:` again and again: 5 KB take 0.2 s, 20 KB take 4 s

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The first error, in the compiler's words."""
        del before, staging
        if "\0" in after:
            return [Issue("error", *Places(after).at(after.index("\0")), INVALID, "a null byte cannot stand in Python")]
        _hold_bearable(path, after)
        try:
            self._compile(path, after)
        except SyntaxError as error:
            if _is_template(after):
                why = "its lines hold {% %} or {{ cookiecutter }}"
                raise NotRunError(f"{path} is a template, which is not Python yet: {why}") from None
            return [_issue(after, error)]
        except (RecursionError, MemoryError):
            raise NotRunError(f"{path} is nested too deeply for Python's compiler") from None
        except (ValueError, OverflowError) as error:
            raise NotRunError(f"{path} cannot be given to Python's compiler: {error}") from None
        return []

    def _compile(self, path: str, text: str) -> None:
        import warnings

        # The filters belong to the whole process: two checks that change them at once could leave them changed.
        with _one_at_a_time, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._read(path, text)

    def _read(self, path: str, text: str) -> None:
        if len(text) > _LONGEST_COMPILED or _doubles(text) or _depth(text) > _DEEPEST:
            from symtable import symtable

            symtable(text, path, "exec")
        else:
            compile(text, path, "exec", dont_inherit=True)


class PythonParser(PythonSyntax):
    """What the parser alone objects to; the compiler knows more."""

    name = "python-parser"

    def _read(self, path: str, text: str) -> None:
        compile(text, path, "exec", _ONLY_AST, dont_inherit=True)


def check_python(path: str, text: str, staging: Staging, check: PythonSyntax | None = None) -> list[Issue]:
    """What Python says of a text to a check by another program, in a process that can be ended if need be."""
    check = check or PythonSyntax()
    if len(text) <= check.tame:
        return check.check(path, None, text, staging)
    from suture.validate import apart

    return apart.check(check.name, path, None, text, staging.seconds, (staging.root,))


def parses(path: str, text: str, staging: Staging) -> bool:
    """Whether a text that cannot be compiled can at least be parsed: then no other Python takes it either."""
    try:
        return not check_python(path, text, staging, PythonParser())
    except NotRunError:
        return False


def _doubles(text: str) -> bool:
    """Whether `finally` may stand in `finally`, many times over."""
    if text.count("finally:") <= _MOST_FINALLY:
        return False
    lines = (line for line in text.split("\n") if "finally:" in line)
    return len({len(line) - len(line.lstrip()) for line in lines}) > _MOST_FINALLY


def _depth(text: str) -> int:
    """How deep brackets stand in each other, about: those in strings are counted, too."""
    from re import findall

    depth = deepest = 0
    for found in findall(r"(?m)^\w|[\[({})\]]", text):
        depth = max(0, depth + _STEPS.get(found, -depth))  # a line that begins at its edge is in no bracket
        deepest = max(deepest, depth)
    return deepest


def _hold_bearable(path: str, text: str) -> None:
    if len(text) > _LONGEST:
        raise NotRunError(f"{path} is longer than {_LONGEST:,} characters")
    for line in text.split("\n"):
        if len(line) > _LONG_LINE:
            names = line.lstrip().startswith(("import ", "from ")) and line.count(".") > _MOST_DOTS
            if names or (line.count("{") > _MOST_FIELDS and ('f"' in line or "f'" in line)):
                raise NotRunError(f"{path} has a line that Python's compiler takes too long for")


def _is_template(text: str) -> bool:
    from re import search

    return search(_TEMPLATE, text) is not None


def _issue(text: str, error: SyntaxError) -> Issue:
    begin, end = _span(text, error.lineno or 1)
    line = text[begin:end]
    column = error.offset or 1
    if isinstance(error, IndentationError) and "indented block" not in error.msg and line.strip():
        column = len(line) - len(line.lstrip()) + 1
    elif error.text and error.msg.startswith("f-string") and error.text.strip() not in line:
        column += max(0, line.find("{" + error.text.strip()[1:-1]))  # Python 3.11 counts in the field, with brackets
    offset = min(begin + max(0, column - 1), end)
    return Issue("error", *Places(text).at(offset), INVALID, error.msg)


def _span(text: str, line: int) -> tuple[int, int]:
    r"""Where a line begins and ends as Python counts them: any `\r` ends one. One that is not there is the end."""
    from re import finditer

    ends = [(0, 0), *((found.start(), found.end()) for found in finditer(r"\r\n?|\n", text)), (len(text), len(text))]
    if line >= len(ends) or (line > 1 and ends[line - 1][1] == len(text)):
        end = len(text.rstrip())
        return end, end
    return ends[line - 1][1], ends[line][0]
