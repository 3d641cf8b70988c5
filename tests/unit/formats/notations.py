"""Ways in which models write the edit of `a.py` from `x = 1` to `x = 2`, and the result beside a good block.

`READ` is applied. `WHOLE` is applied if whole files are asked for, and told otherwise. `CREATED` makes `b.py`.
`TOLD` is not read: it must be in `unread`, with the kind beside it; a kind with a `?` is reported as a warning,
not as an error.
"""

import json
from textwrap import indent

OLD, NEW = "x = 1", "x = 2"
_ARGS = {"path": "a.py", "old_str": OLD, "new_str": NEW}
_CLAUDE = {"file_path": "a.py", "old_string": OLD, "new_string": NEW}
_ANTHROPIC = {"command": "str_replace", **_ARGS}
_SEARCH = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
_PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
_DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


def js(value: object, width: int | None = None) -> str:
    return json.dumps(value, indent=width)


def in_fence(text: str, language: str = "") -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def invoke(name: str, prefix: str = "", **arguments: str) -> str:
    given = "".join(
        f'<{prefix}parameter name="{key}">{value}</{prefix}parameter>\n' for key, value in arguments.items()
    )
    return f'<{prefix}invoke name="{name}">\n{given}</{prefix}invoke>'


def qwen(name: str, **arguments: str) -> str:
    given = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
    return f"<function={name}>\n{given}</function>"


def tags(name: str, attributes: str = "", **children: str) -> str:
    inside = "".join(f"<{key}>{value}</{key}>\n" for key, value in children.items())
    return f"<{name}{attributes}>\n{inside}</{name}>"


def laid_out(name: str, attributes: str = "", **children: str) -> str:
    inside = "".join(f"<{key}>\n{value}\n</{key}>\n" for key, value in children.items())
    return f"<{name}{attributes}>\n{inside}</{name}>"


READ = {
    # JSON
    "arguments": js(_ARGS),
    "arguments in lines": js(_ARGS, 2),
    "arguments in a fence": in_fence(js(_ARGS, 2), "json"),
    "arguments in a bare fence": in_fence(js(_ARGS)),
    "arguments of Claude Code": js(_CLAUDE),
    "arguments in camel case": js({"filePath": "a.py", "oldString": OLD, "newString": NEW}),
    "old_text and new_text": js({"path": "a.py", "old_text": OLD, "new_text": NEW}),
    "search and replace": js({"file": "a.py", "search": OLD, "replace": NEW}),
    "find and replace": js({"file": "a.py", "find": OLD, "replace": NEW}),
    "before and after": js({"path": "a.py", "before": OLD, "after": NEW}),
    "original and updated": js({"filename": "a.py", "original": OLD, "updated": NEW}),
    "a list": js([_ARGS], 2),
    "an indented list": indent(js([_ARGS], 2), "   "),
    "lines of JSON": js(_ARGS) + "\n",
    "with an explanation": js({**_ARGS, "explanation": "It is better so."}),
    "with a line": js({**_ARGS, "line": 1}),
    "replace_all": js({**_CLAUDE, "replace_all": True}),
    "replace_all false": js({**_CLAUDE, "replace_all": False}),
    "expected_replacements": js({**_CLAUDE, "expected_replacements": 1}),
    "allow_multiple false": js({**_CLAUDE, "allow_multiple": False}),
    "tool_use of Anthropic": js(
        {"type": "tool_use", "id": "toolu_1", "name": "str_replace_editor", "input": _ANTHROPIC}
    ),
    "a message of Anthropic": js(
        {"role": "assistant", "content": [{"type": "tool_use", "name": "x", "input": _ANTHROPIC}]}
    ),
    "a call of OpenAI": js({"type": "function", "function": {"name": "edit_file", "arguments": js(_ARGS)}}),
    "calls of OpenAI": js({"tool_calls": [{"function": {"name": "edit_file", "arguments": js(_ARGS)}}]}, 2),
    "function_call of OpenAI": js({"function_call": {"name": "edit_file", "arguments": js(_ARGS)}}),
    "a response item of OpenAI": js({"type": "function_call", "call_id": "c", "name": "edit", "arguments": js(_ARGS)}),
    "parallel calls of OpenAI": js({"tool_uses": [{"recipient_name": "functions.edit", "parameters": _ARGS}]}),
    "a call of Gemini": js({"functionCall": {"name": "replace", "args": _CLAUDE}}),
    "a call of MCP": js(
        {
            "method": "tools/call",
            "name": "edit_file",
            "arguments": {"path": "a.py", "edits": [{"oldText": OLD, "newText": NEW}]},
        }
    ),
    "a call of LangChain": js({"action": "edit_file", "action_input": _ARGS}),
    "a tool with args": js({"tool": "edit", "args": _ARGS}),
    "a tool with parameters": js({"tool_name": "edit_file", "parameters": _ARGS}),
    "several edits": js({"file_path": "a.py", "edits": [{"old_string": OLD, "new_string": NEW}]}),
    "operations of Roo": js({"path": "a.py", "operations": [{"search": OLD, "replace": NEW}]}),
    "chunks of Windsurf": js(
        {"TargetFile": "a.py", "ReplacementChunks": [{"TargetContent": OLD, "ReplacementContent": NEW}]}
    ),
    "edits with their own paths": js({"edits": [{"path": "a.py", "old": OLD, "new": NEW}]}),
    "apply_patch of OpenAI": js({"name": "apply_patch", "arguments": js({"input": _PATCH})}),
    "apply_patch with a text": js({"type": "custom_tool_call", "name": "apply_patch", "input": _PATCH}),
    "apply_diff of Roo in JSON": js({"name": "apply_diff", "arguments": {"path": "a.py", "diff": _SEARCH}}),
    "a unified diff in JSON": js({"name": "patch", "arguments": {"patch": _DIFF}}),
    # tokens
    "tool_call of Qwen": f"<tool_call>\n{js({'name': 'edit', 'arguments': _ARGS})}\n</tool_call>",
    "tool_call in a line": f"<tool_call>{js({'name': 'edit', 'arguments': _ARGS})}</tool_call>",
    "tool_call in a fence": in_fence(f"<tool_call>\n{js({'name': 'edit', 'arguments': _ARGS})}\n</tool_call>", "xml"),
    "function_call tag": f"<function_call>{js({'name': 'edit', 'arguments': _ARGS})}</function_call>",
    "functioncall tag": f"<functioncall> {js({'name': 'edit', 'arguments': _ARGS})} </functioncall>",
    "calls of Mistral": f"[TOOL_CALLS] {js([{'name': 'edit', 'arguments': _ARGS}])}",
    "a call of Phi": f"<|tool_call|>{js([{'name': 'edit', 'arguments': _ARGS}])}<|/tool_call|>",
    "DeepSeek V3": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>edit\n```json\n{js(_ARGS)}\n"
        "```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "DeepSeek V3.1": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>edit<｜tool▁sep｜>{js(_ARGS)}<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>"
    ),
    "DeepSeek V3.2": f"<｜DSML｜function_calls>\n{invoke('Edit', '｜DSML｜', **_CLAUDE)}\n</｜DSML｜function_calls>",
    "Kimi": (
        "<|tool_calls_section_begin|>"
        "<|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>"
        f"{js(_ARGS)}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "Kimi in lines": (
        "<|tool_calls_section_begin|>\n"
        f"<|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>{js(_ARGS)}<|tool_call_end|>\n"
        "<|tool_calls_section_end|>"
    ),
    "Harmony": (
        f"<|start|>assistant<|channel|>commentary to=functions.edit <|constrain|>json<|message|>{js(_ARGS)}<|call|>"
    ),
    "Qwen3-Coder": f"<tool_call>\n{qwen('str_replace_editor', command='str_replace', **_ARGS)}\n</tool_call>",
    "a function alone": qwen("edit_file", **_ARGS),
    "GLM": (
        "<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n"
        f"<arg_key>old_str</arg_key>\n<arg_value>{OLD}</arg_value>\n<arg_key>new_str</arg_key>\n"
        f"<arg_value>{NEW}</arg_value>\n</tool_call>"
    ),
    "MiniMax": f"<minimax:tool_call>\n{invoke('edit', **_ARGS)}\n</minimax:tool_call>",
    # tags
    "invoke": invoke("str_replace_based_edit_tool", command="str_replace", **_ARGS),
    "invoke in function_calls": f"<function_calls>\n{invoke('Edit', **_CLAUDE)}\n</function_calls>",
    "invoke in its namespace": f"<function_calls>\n{invoke('Edit', 'antml:', **_CLAUDE)}\n</function_calls>",
    "invoke in a fence": in_fence(invoke("Edit", **_CLAUDE), "xml"),
    "invoke laid out": invoke("Edit", file_path="a.py", old_string=f"\n{OLD}\n", new_string=f"\n{NEW}\n"),
    "invoke with edits": invoke("MultiEdit", file_path="a.py", edits=js([{"old_string": OLD, "new_string": NEW}])),
    "search_and_replace of Roo": tags("search_and_replace", path="a.py", search=OLD, replace=NEW),
    "search_and_replace with its flags": tags(
        "search_and_replace", path="a.py", search=OLD, replace=NEW, use_regex="false"
    ),
    "edit with children": tags("edit", path="a.py", old=OLD, new=NEW),
    "edit with an attribute": tags("edit", ' path="a.py"', old=OLD, new=NEW),
    "edit with file=": tags("edit", ' file="a.py"', search=OLD, replace=NEW),
    "edit laid out": laid_out("edit", ' path="a.py"', old_text=OLD, new_text=NEW),
    "edit in a line": f'<edit path="a.py"><old>{OLD}</old><new>{NEW}</new></edit>',
    "edit in a fence": in_fence(tags("edit", ' path="a.py"', old=OLD, new=NEW), "xml"),
    "edit with CDATA": tags("edit", ' path="a.py"', old=f"<![CDATA[{OLD}]]>", new=f"<![CDATA[{NEW}]]>"),
    "edit_file": laid_out("edit_file", file_path="a.py", old_string=OLD, new_string=NEW),
    "str_replace": laid_out("str_replace", path="a.py", old_str=OLD, new_str=NEW),
    "search_replace": laid_out("search_replace", file_path="a.py", old_string=OLD, new_string=NEW),
    "change in tags": laid_out("change", path="a.py", original=OLD, updated=NEW),
    (
        "file with edits"
    ): f'<file path="a.py">\n<edit>\n<search>{OLD}</search>\n<replace>{NEW}</replace>\n</edit>\n</file>',
    "Zed": f"a.py\n<edits>\n\n<old_text line=1>\n{OLD}\n</old_text>\n<new_text>\n{NEW}\n</new_text>\n\n</edits>",
    "Zed without a line": f"`a.py`\n\n<old_text>\n{OLD}\n</old_text>\n<new_text>\n{NEW}\n</new_text>",
    "Zed, fenced": f"a.py\n```diff\n<<<<<<< SEARCH line=1\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n```",
    # blocks in something
    "replace_in_file of Cline": (
        f"<replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\n{OLD}\n=======\n{NEW}\n"
        "+++++++ REPLACE\n</diff>\n</replace_in_file>"
    ),
    "apply_diff of Roo": (
        f"<apply_diff>\n<path>a.py</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:1\n-------\n{OLD}\n"
        f"=======\n{NEW}\n>>>>>>> REPLACE\n</diff>\n</apply_diff>"
    ),
    "apply_diff with arguments": (
        "<apply_diff>\n<args>\n<file>\n  <path>a.py</path>\n  <diff>\n    <content><![CDATA[\n"
        f"{_SEARCH}]]></content>\n  </diff>\n</file>\n</args>\n</apply_diff>"
    ),
    "apply_diff without a rule": (
        f"<apply_diff>\n<path>a.py</path>\n<diff>\n<<<<<<< SEARCH\n:start_line: 1\n{OLD}\n=======\n"
        f"{NEW}\n>>>>>>> REPLACE\n</diff>\n</apply_diff>"
    ),
    "a quotation": "> a.py\n" + indent(_SEARCH, "> "),
    "a quotation with a fence": "> `a.py`\n>\n" + indent(in_fence(_SEARCH, "python"), "> "),
    "a quoted patch": indent(_PATCH, "> "),
    "a quoted diff": indent(_DIFF, "> "),
    "a quotation without spaces": indent("a.py\n" + _SEARCH, ">", lambda _: True),
    "entities of HTML": "a.py\n" + _SEARCH.replace("<", "&lt;").replace(">", "&gt;"),
    "entities in a fence": "a.py\n" + in_fence(_SEARCH.replace("<", "&lt;").replace(">", "&gt;"), "html"),
    # V4A
    "Modify File": _PATCH.replace("Update", "Modify"),
    "Edit File": _PATCH.replace("Update", "Edit"),
    "Change File": _PATCH.replace("Update", "Change"),
    "without Begin and End": "*** Update File: a.py\n@@\n-x = 1\n+x = 2\n",
    "Modify without Begin and End": in_fence("*** Modify File: a.py\n@@\n-x = 1\n+x = 2\n"),
    "without End in a fence": in_fence(_PATCH.replace("*** End Patch\n", "")),
    "in a heredoc": in_fence(f"apply_patch <<'EOF'\n{_PATCH}EOF\n", "bash"),
}

_WRITE = {"path": "a.py", "content": "x = 2\n"}
WHOLE = {
    "write_to_file of Cline": laid_out("write_to_file", path="a.py", content=NEW),
    "write_to_file of Roo": laid_out("write_to_file", path="a.py", content=NEW, line_count="1"),
    "write_file in tags": tags("write_file", ' path="a.py"', content=f"\n{NEW}\n"),
    "a file in tags": f'<file path="a.py">\n{NEW}\n</file>',
    "a file with a name": f'<file name="a.py" path="a.py">\n{NEW}\n</file>',
    "a file with its content in a tag": laid_out("file", ' path="a.py"', content=NEW),
    "write_file in JSON": js({"name": "write_file", "arguments": _WRITE}),
    "Write of Claude Code": js(
        {"type": "tool_use", "name": "Write", "input": {"file_path": "a.py", "content": "x = 2\n"}}
    ),
    "create of Anthropic": js({"command": "create", "path": "a.py", "file_text": "x = 2\n"}),
    "create of Anthropic in tags": invoke(
        "str_replace_based_edit_tool", command="create", path="a.py", file_text=f"{NEW}\n"
    ),
    "create_file of Qwen": qwen("create_file", path="a.py", content=NEW),
    "files in JSON": js({"files": [_WRITE]}, 2),
}

CREATED = {
    "NEW_FILE": f"### File: b.py\n<<<<<<< NEW_FILE\n{NEW}\n>>>>>>> NEW_FILE\n",
    "a file added by V4A": f"*** Begin Patch\n*** Add File: b.py\n+{NEW}\n*** End Patch\n",
    "a diff from /dev/null": f"--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+{NEW}\n",
}

TOLD = {
    # calls that are not exact
    "JSON that is cut off": (js({"name": "edit", "arguments": _ARGS})[:-3], "call"),
    "JSON with single quotes": (str(_ARGS), "call"),
    "JSON with a comma too many": (js(_ARGS)[:-1] + ",}", "call"),
    "JSON with comments": ("{\n  // the file\n" + js(_ARGS, 2)[1:], "call"),
    "a regular expression": (js({**_ARGS, "use_regex": True}), "call"),
    "case ignored": (js({**_ARGS, "ignore_case": True}), "call"),
    "two paths": (js({**_ARGS, "file_path": "b.py"}), "call"),
    "no new text": (js({"name": "str_replace", "arguments": {"path": "a.py", "old_str": OLD}}), "call"),
    "no path": (js({"name": "str_replace", "arguments": {"old_str": OLD, "new_str": NEW}}), "call?"),
    "an insertion": (
        js(
            {
                "name": "str_replace_editor",
                "input": {"command": "insert", "path": "a.py", "insert_line": 1, "new_str": NEW},
            }
        ),
        "call",
    ),
    "an edit of Cursor": (
        js(
            {
                "name": "edit_file",
                "arguments": {"target_file": "a.py", "instructions": "So.", "code_edit": "# ...\nx = 2"},
            }
        ),
        "call?",
    ),
    "a deletion": (js({"name": "delete_file", "arguments": {"path": "a.py"}}), "call"),
    "a deletion by a function": ('delete_file("a.py")', "call?"),
    "a file that moves": (js({"name": "rename_file", "arguments": {"from": "a.py", "to": "b.py"}}), "call"),
    "a file that moves, in tags": (invoke("move_file", source_path="a.py", target="b.py"), "call"),
    "a file without content": (js({"name": "create_file", "arguments": {"path": "a.py"}}), "call"),
    "insert_content of Roo in one line": (
        "<insert_content><path>a.py</path><line>1</line><content>import os</content></insert_content>",
        "tag",
    ),
    "a function call without names": (f'edit_file("a.py", "{OLD}", "{NEW}")', "call"),
    "a function call without names, in lines": (f'edit_file(\n    "a.py",\n    "{OLD}",\n    "{NEW}",\n)', "call"),
    "a function call in a bare fence": (in_fence(f'edit_file("a.py", "{OLD}", "{NEW}")'), "call?"),
    "a function call behind another": (f'print("x")\nedit_file("a.py", "{OLD}", "{NEW}")', "call"),
    "a function call that writes": ('write_file("a.py", "x = 2")', "file"),
    "replace and with": (js({"file": "a.py", "replace": OLD, "with": NEW}), "call"),
    "from and to": (js({"file": "a.py", "from": OLD, "to": NEW}), "call?"),
    "a log of changes": (js({"level": "info", "path": "a.py", "old": OLD, "new": NEW}), "call?"),
    "a log of changes in a fence": (
        in_fence(js([{"level": "info", "path": "a.py", "old": OLD, "new": NEW}], 2), "json"),
        "call?",
    ),
    "text behind the call": (js(_ARGS) + " is what I would send.", "call"),
    "Python of Gemini": (
        in_fence(f"print(default_api.replace(file_path='a.py', old_string='{OLD}', new_string='{NEW}'))", "tool_code"),
        "call",
    ),
    "a function call": (f'edit_file(path="a.py", old_str="{OLD}", new_str="{NEW}")', "call"),
    "a call of ReAct": (f"Action: edit_file\nAction Input: {js(_ARGS)}", "call"),
    "invoke without an end": (invoke("Edit", **_CLAUDE).replace("</invoke>", ""), "call"),
    "invoke, laid out on one side": (invoke("Edit", file_path="a.py", old_string=f"\n{OLD}\n", new_string=NEW), "call"),
    "invoke without old text": (invoke("Edit", file_path="a.py", new_string=NEW), "call"),
    "Qwen without an end": (qwen("edit", **_ARGS).replace("</function>", ""), "call"),
    "GLM without a value": (
        (
            "<tool_call>edit\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n"
            f"<arg_key>old_str</arg_key>\n<arg_value>{OLD}</arg_value>\n<arg_key>new_str</arg_key>\n"
            "</tool_call>"
        ),
        "call",
    ),
    "apply_diff in one line": (
        (
            f"<apply_diff><path>a.py</path><diff><<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n"
            ">>>>>>> REPLACE</diff></apply_diff>"
        ),
        "tag",
    ),
    "insert_content of Roo": (laid_out("edit_file", path="a.py", line="1", content=NEW), "tag"),
    "the path as a name": (in_fence(js({"a.py": {"old": OLD, "new": NEW}}, 2), "json"), "call"),
    "files by path": (in_fence(js({"a.py": "x = 2\ny = 3\n"}, 2), "json"), "file?"),
    # tags
    "code with a path": (f'<code path="a.py">\n{NEW}\n</code>', "file"),
    "edit with text between": (f'<edit path="a.py">\n<old>{OLD}</old>\nbecomes\n<new>{NEW}</new>\n</edit>', "tag"),
    "edit with from and to": (f'<edit path="a.py" old="{OLD}" new="{NEW}"/>', "tag"),
    "replacement in tags": (
        f'<replacement file="a.py">\n<old_code>{OLD}</old_code>\n<new_code>{NEW}</new_code>\n</replacement>',
        "tag",
    ),
    "modification in tags": (
        f'<modification path="a.py">\n<before>{OLD}</before>\n<after>{NEW}</after>\n</modification>',
        "tag",
    ),
    "modification with blank lines": (
        f'<modification path="a.py">\n<before>\n{OLD}\n\ny\n</before>\n<after>\n{NEW}\n\ny\n</after>\n</modification>',
        "tag",
    ),
    "tags in capitals": (f'<EDIT PATH="a.py">\n<SEARCH>{OLD}</SEARCH>\n<REPLACE>{NEW}</REPLACE>\n', "tag"),
    "SEARCH and REPLACE tags": (f"a.py\n<SEARCH>\n{OLD}\n</SEARCH>\n<REPLACE>\n{NEW}\n</REPLACE>", "tag"),
    "codeblock with a path": (f'<boltAction type="file" filePath="a.py">\n{NEW}\n</boltAction>', "file"),
    "artifact": (f'<artifact type="code" path="a.py">\n{NEW}\n</artifact>', "file"),
    "create_file without an end": (
        laid_out("create_file", path="a.py", content=NEW).replace("</create_file>", ""),
        "file",
    ),
    "find and with in tags": (f'<modify path="a.py"><find>{OLD}</find><with>{NEW}</with></modify>', "tag"),
    "from and to in tags": (f'<modify path="a.py"><from>{OLD}</from><to>{NEW}</to></modify>', "tag?"),
    # fields
    "YAML": (in_fence(f"- path: a.py\n  old: {OLD}\n  new: {NEW}", "yaml"), "fields?"),
    "YAML with names that only edits have": (
        in_fence(f"- path: a.py\n  old_string: {OLD}\n  new_string: {NEW}", "yaml"),
        "fields",
    ),
    "YAML without a fence": (f"path: a.py\nold: {OLD}\nnew: {NEW}", "fields"),
    "YAML with texts in lines": (
        in_fence(f"edits:\n  - file: a.py\n    search: |\n      {OLD}\n    replace: |\n      {NEW}", "yaml"),
        "fields",
    ),
    "TOML": (in_fence(f'[[edit]]\npath = "a.py"\nold = "{OLD}"\nnew = "{NEW}"', "toml"), "fields?"),
    "labels": (f"File: a.py\nFind: {OLD}\nReplace: {NEW}", "fields"),
    "labels in bold": (f"**File:** `a.py`\n**Old:** `{OLD}`\n**New:** `{NEW}`", "fields"),
    "a list of labels": (f"- File: `a.py`\n- Search: `{OLD}`\n- Replace with: `{NEW}`", "fields"),
    "files in YAML": (in_fence(f"files:\n  - path: a.py\n    content: |\n      {NEW}", "yaml"), "file?"),
    # markers
    "ORIGINAL and UPDATED": (f"a.py\n<<<<<<< ORIGINAL\n{OLD}\n=======\n{NEW}\n>>>>>>> UPDATED", "markers"),
    "ORIGINAL in a fence": (
        f"a.py\n```python\n<<<<<<< ORIGINAL\n{OLD}\n=======\n{NEW}\n>>>>>>> UPDATED\n```",
        "markers",
    ),
    "OLD and NEW": (f"a.py\n<<<<<<< OLD\n{OLD}\n=======\n{NEW}\n>>>>>>> NEW", "markers"),
    "BEFORE and AFTER": (f"a.py\n<<<<<<< BEFORE\n{OLD}\n=======\n{NEW}\n>>>>>>> AFTER", "markers"),
    "FIND and REPLACE": (f"a.py\n<<<<<<< FIND\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE", "markers"),
    "four characters": (f"a.py\n<<<< SEARCH\n{OLD}\n====\n{NEW}\n>>>> REPLACE", "markers"),
    "three characters": (f"a.py\n<<< SEARCH\n{OLD}\n===\n{NEW}\n>>> REPLACE", "markers"),
    "twelve characters": (f"a.py\n<<<<<<<<<<<< SEARCH\n{OLD}\n============\n{NEW}\n>>>>>>>>>>>> REPLACE", "markers"),
    "EDIT with a path": (f"<<<<<<< EDIT a.py\n{OLD}\n=======\n{NEW}\n>>>>>>> END", "markers"),
    "a conflict": (f"a.py\n<<<<<<< HEAD\n{OLD}\n=======\n{NEW}\n>>>>>>> feature", "markers?"),
    "no path with other markers": (f"<<<<<<< ORIGINAL\n{OLD}\n=======\n{NEW}\n>>>>>>> UPDATED", "markers?"),
    "brackets": (f"a.py\n[SEARCH]\n{OLD}\n[REPLACE]\n{NEW}\n[END]", "markers"),
    "brackets OLD and NEW": (f"a.py\n[OLD]\n{OLD}\n[NEW]\n{NEW}", "markers"),
    "headings": (f"a.py\n### SEARCH\n{OLD}\n### REPLACE\n{NEW}", "markers"),
    "rules": (f"a.py\n=== OLD ===\n{OLD}\n=== NEW ===\n{NEW}", "markers"),
    "dashes": (f"a.py\n--- BEFORE ---\n{OLD}\n--- AFTER ---\n{NEW}", "markers"),
    "labels in capitals": (f"a.py\nSEARCH:\n{OLD}\nREPLACE:\n{NEW}", "markers"),
    "percent signs": (f"a.py\n%%% SEARCH\n{OLD}\n%%% REPLACE\n{NEW}", "markers"),
    "a rule with a path": (f"--- FILE: a.py ---\n{NEW}\n--- END FILE ---", "file?"),
    # escapes
    "a block in one line": ("a.py\n" + _SEARCH.replace("\n", "\\n"), "escaped"),
    "backslashes": ("a.py\n" + _SEARCH.replace("<", "\\<").replace(">", "\\>"), "escaped"),
    "bullets": ("a.py\n" + indent(_SEARCH, "- "), "escaped"),
    "line numbers": ("a.py\n" + indent(_SEARCH, "1 | "), "escaped"),
    "comments": ("a.py\n" + indent(_SEARCH, "# "), "escaped"),
    "slashes": ("a.py\n" + indent(_SEARCH, "// "), "escaped"),
    "a table": ("a.py\n" + indent(_SEARCH, "| "), "escaped"),
    "entities of numbers": ("a.py\n" + _SEARCH.replace("<", "&#60;").replace(">", "&#62;"), "escaped"),
    "entities with brackets": (
        "a.py\n" + _SEARCH.replace("<", "&lt;").replace(">", "&gt;").replace(OLD, "<x>"),
        "escaped",
    ),
    "a numbered patch": (indent(_PATCH, "1: "), "escaped"),
    "a patch in comments": (indent(_PATCH, "# "), "escaped"),
    "a patch in one line": (_PATCH.replace("\n", "\\n"), "escaped"),
    "a diff in one line": (_DIFF.replace("\n", "\\n"), "diff"),
    "a numbered diff": ("a.py\n" + indent(_DIFF, "1 | "), "diff"),
    # diffs
    "a normal diff": (f"a.py\n```\n1c1\n< {OLD}\n---\n> {NEW}\n```", "diff"),
    "a context diff": (
        f"```\n*** a.py\n--- a.py\n***************\n*** 1 ****\n! {OLD}\n--- 1 ----\n! {NEW}\n```",
        "diff",
    ),
    "an ed script": (f"`a.py`:\n```ed\n1c\n{NEW}\n.\nw\n```", "diff"),
    "words that differ": ("`a.py`:\n```\nx = [-1-]{+2+}\n```", "diff"),
    "a listing of Claude Code": (
        (
            "\u25cf Update(a.py)\n  \u23bf  Updated a.py with 1 addition and 1 removal\n"
            "       1 -  x = 1\n       1 +  x = 2\n\nDone."
        ),
        "diff?",
    ),
    "another listing of Claude Code": ("\u23fa Write(a.py)\n  \u23bf  Wrote 1 line to a.py\n     x = 2", "diff?"),
    "signs without a file": (f"```diff\n-{OLD}\n+{NEW}\n```", "diff?"),
    # fences
    "before and after in fences": (
        f"In `a.py`:\n\nBefore:\n{in_fence(OLD, 'python')}\n\nAfter:\n{in_fence(NEW, 'python')}",
        "fences",
    ),
    "old and new in fences": (
        f"a.py\n\n**Old:**\n{in_fence(OLD, 'python')}\n**New:**\n{in_fence(NEW, 'python')}",
        "fences",
    ),
    "labels with the path": (f"Old code in `a.py`:\n{in_fence(OLD)}\nNew code in `a.py`:\n{in_fence(NEW)}", "fences"),
    "headings with fences": (
        f"## a.py\n### Before\n{in_fence(OLD, 'python')}\n### After\n{in_fence(NEW, 'python')}",
        "fences",
    ),
    "replace this with this": (
        f"In `a.py`:\n\nReplace this:\n{in_fence(OLD, 'python')}\nwith this:\n{in_fence(NEW, 'python')}",
        "fences",
    ),
    "replace with": (f"In `a.py`:\n\nReplace\n{in_fence(OLD, 'python')}\nwith\n{in_fence(NEW, 'python')}", "fences"),
    "change from to": (f"a.py\n\nChange:\n{in_fence(OLD)}\nTo:\n{in_fence(NEW)}", "fences"),
    "find and replace in fences": (f"a.py\n\nFind:\n{in_fence(OLD)}\nReplace with:\n{in_fence(NEW)}", "fences"),
    "search and replace fences": (f"a.py\n\nSEARCH:\n{in_fence(OLD)}\nREPLACE:\n{in_fence(NEW)}", "fences"),
    "fences without a path": (f"Before:\n{in_fence(OLD)}\nAfter:\n{in_fence(NEW)}", "fences?"),
    "add the following": (f"Add the following to `a.py`:\n\n{in_fence(NEW, 'python')}", "fences?"),
    "the updated file": (f"Here is the updated `a.py` in full:\n\n{in_fence(NEW, 'python')}", "fences?"),
    "a fence with a path": (in_fence(NEW, "python a.py"), "fenced_file?"),
    "a fence below a path": (f"**a.py**\n{in_fence(NEW, 'python')}", "fenced_file?"),
    # sentences
    "a sentence": (f"In `a.py`, replace `{OLD}` with `{NEW}`.", "sentence"),
    "a sentence, file last": (f"Replace `{OLD}` with `{NEW}` in `a.py`.", "sentence"),
    "change to": (f"Change `{OLD}` to `{NEW}` in `a.py`.", "sentence"),
    "a bullet": (f"- In `a.py`: change `{OLD}` to `{NEW}`", "sentence"),
    "a numbered step": (f"2. Then replace `{OLD}` with `{NEW}` in `a.py`.", "sentence"),
    "quotes": (f'Replace "{OLD}" with "{NEW}" in `a.py`.', "sentence"),
    "a sentence without a file": (f"Replace `{OLD}` by `{NEW}`.", "sentence?"),
    "a sentence with a line": (f"On line 3 of a.py, change `{OLD}` to `{NEW}`.", "sentence"),
    "a sentence with a function": (f"In the function `f` of `a.py`, replace `{OLD}` with `{NEW}`.", "sentence"),
    "text to add": ("Add `import os` at the top of a.py.", "sentence?"),
    "a line to insert": ("2. Insert the line `import os` into `a.py`.", "sentence?"),
    "a file to delete": ("Delete the file `a.py`.", "sentence?"),
    "lines to delete": ("Remove lines 3 to 5 of `a.py`.", "sentence?"),
    "an arrow": (f"- `{OLD}` → `{NEW}` in `a.py`", "sentence?"),
    "an arrow behind the path": (f"a.py: `{OLD}` -> `{NEW}`", "sentence?"),
    "a table of edits": (
        f"| File | Before | After |\n| --- | --- | --- |\n| `a.py` | `{OLD}` | `{NEW}` |",
        "fields?",
    ),
    # shells
    "tee without output": (in_fence(f"sudo tee a.py > /dev/null <<EOF\n{NEW}\nEOF", "bash"), "heredoc"),
    "vim": (in_fence(":%s/x = 1/x = 2/g", ""), "shell?"),
    "a program": (
        in_fence("python - <<'EOF'\nfrom pathlib import Path\nPath('a.py').write_text('x = 2')\nEOF", "bash"),
        "shell?",
    ),
    "a program in an argument": (in_fence("python -c \"open('a.py','w').write('x = 2')\"", "bash"), "shell?"),
    "a program of another language": (
        in_fence("node -e \"require('fs').writeFileSync('a.py', 'x = 2')\"", "bash"),
        "shell?",
    ),
    "ed": (in_fence(f"ed a.py <<EOF\n1c\n{NEW}\n.\nw\nEOF", "bash"), "shell"),
    "ed in a bare fence": (in_fence(f"ed a.py <<EOF\n1c\n{NEW}\n.\nw\nEOF"), "shell"),
    "cat": (in_fence(f"cat > a.py <<'EOF'\n{NEW}\nEOF", "bash"), "heredoc"),
    "cat, redirected last": (in_fence(f"cat <<EOF > a.py\n{NEW}\nEOF", "sh"), "heredoc"),
    "cat that appends": (in_fence(f"cat >> a.py << EOF\n{NEW}\nEOF", "bash"), "heredoc"),
    "tee": (in_fence(f"tee a.py <<'EOF'\n{NEW}\nEOF", "shell"), "heredoc"),
    "cat at a prompt": (f"$ cat > a.py <<EOF\n{NEW}\nEOF", "heredoc"),
    "cat in a bare fence": (in_fence(f"cat > a.py <<EOF\n{NEW}\nEOF"), "heredoc"),
    "sed": (in_fence("sed -i 's/x = 1/x = 2/' a.py", "bash"), "shell"),
    "sed of BSD": (in_fence("sed -i '' -e 's/x = 1/x = 2/' a.py", "bash"), "shell"),
    "sed over files": (in_fence("sed -i 's/1/2/' src/*.py", "bash"), "shell"),
    "perl": (in_fence("perl -pi -e 's/x = 1/x = 2/' a.py", "bash"), "shell"),
    "sed at a prompt": (in_fence("$ sed -i 's/1/2/g' a.py", "console"), "shell"),
    "sed in a sentence": ("Run `sed -i 's/x = 1/x = 2/' a.py` afterwards.", "shell?"),
    "echo": (in_fence('echo "x = 2" > a.py', "bash"), "shell"),
    "printf": (in_fence("printf 'x = 2\\n' > a.py", "bash"), "shell"),
    "echo that appends": (in_fence('echo "y = 2" >> a.py', "bash"), "shell?"),
    "rm": (in_fence("rm a.py", "bash"), "shell?"),
    "git rm": (in_fence("git rm a.py", "bash"), "shell?"),
    "mv": (in_fence("mv a.py b.py", "bash"), "shell?"),
    "git mv": (in_fence("$ git mv a.py b.py", "bash"), "shell?"),
    "rm in a sentence": ("Then `rm a.py`.", "shell?"),
    "PowerShell": (in_fence("(Get-Content a.py) -replace 'x = 1', 'x = 2' | Set-Content a.py", "powershell"), "shell"),
}

ORDINARY = {
    "prose": "This makes it faster. I replaced the loop with a comprehension, and changed nothing else.",
    "commands": "Run the tests:\n\n"
    + in_fence("pip install -r requirements.txt\npytest -x tests/test_a.py\nnpm run build", "bash"),
    "commands at a prompt": in_fence("$ git status\n$ git add a.py\n$ git commit -m 'Fix x'", "console"),
    "folders removed": in_fence("rm -rf node_modules dist\nnpm ci", "bash"),
    "output to a file": in_fence(
        "pytest > log.txt 2>&1\npip freeze > requirements.txt\ngrep -rn 'x = 1' src | head", "bash"
    ),
    "a command in a sentence": "Run `pytest tests/test_a.py` and `make check`, then open `a.py`.",
    "a variable of the shell": in_fence(
        "export API_KEY=secret\necho $API_KEY\ncurl -X POST http://localhost/api -d '{\"a\": 1}'", "bash"
    ),
    "JSON that is printed": "It answers:\n\n"
    + in_fence(js({"status": "ok", "path": "/api/items", "content": "x", "count": 3}, 2), "json"),
    "JSON of a setting": "Set this in `package.json`, if you like: "
    + in_fence(js({"scripts": {"test": "pytest"}}, 2), "json"),
    "JSON with old and new": in_fence(js({"old": 1, "new": 2, "before": "cursor", "after": "cursor"}, 2), "json"),
    "a difference of JSON": in_fence(js([{"path": "/name", "old": "Ann", "new": "Bob"}], 2), "json"),
    "a list of JSON": in_fence(js([{"id": 1, "name": "read", "input": {}}, {"id": 2}], 2), "json"),
    "a call that reads": js({"name": "read_file", "arguments": {"path": "a.py"}}),
    "a call that views": invoke("str_replace_based_edit_tool", command="view", path="a.py"),
    "a call that runs": f"<tool_call>\n{js({'name': 'bash', 'arguments': {'command': 'pytest'}})}\n</tool_call>",
    "code without a path": "For example:\n\n"
    + in_fence("def f(path, old, new):\n    return path.replace(old, new)\n", "python"),
    "code with keywords": in_fence("edit(\n    path='a.py',\n    old_str='x',\n    new_str='y',\n)\n", "python"),
    "code that writes": in_fence("with open('a.txt', 'w') as f:\n    f.write('x')\n", "python"),
    "JavaScript": in_fence("const o = {\n  path: 'a.js',\n  old: 'x',\n  new: 'y',\n};\ns.replace(/a/, 'b');\n", "js"),
    "HTML": in_fence('<div class="a">\n<form action="/edit">\n<input name="file" path="x">\n</form>\n</div>', "html"),
    "HTML in prose": "<details>\n<summary>More</summary>\nIt is about the `file` and the `edit` tags.\n</details>",
    "XML": in_fence("<project>\n<name>x</name>\n<file>a</file>\n</project>", "xml"),
    "YAML of a workflow": in_fence(
        (
            "on: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n"
            "          path: src/a.py\n"
        ),
        "yaml",
    ),
    "YAML of a volume": in_fence("volumes:\n  - name: a\n    hostPath:\n      path: /data/a.txt\n", "yaml"),
    "timings": "Before:\n" + in_fence("100 ms", "text") + "\nAfter:\n" + in_fence("50 ms", "text"),
    "timings in prose": "Before: 100 ms\nAfter: 50 ms",
    "a table": "| Before | After |\n| --- | --- |\n| 100 ms | 50 ms |",
    "a summary of the block": "Summary:\n- Replace `y_old` with `y_new` in `good.py`\n- Change `y_old` to `y_new`",
    "what the block did": "Before:\n" + in_fence("y_old", "python") + "\nAfter:\n" + in_fence("y_new", "python"),
    "a word about markers": "I used `<<<<<<< SEARCH` and `>>>>>>> REPLACE` markers, and no `*** Begin Patch`.",
    "a key to fill in": "Replace `YOUR_API_KEY` with `sk-123` in `.env`, and `<name>` with your name.",
    "advice": "You can change the timeout to 10 if you like, or replace it with a setting. Add tests to `tests/`.",
    "past tense": "I added `x` to `a.py`, removed `b.py` and renamed `c.py` to `d.py`.",
    "headings": "# Changes\n\n## Before you start\n\nRead this.\n\n## After that\n\nRun it.",
    "a traceback": in_fence(
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nNameError: x', "text"
    ),
    "a tree": in_fence("src/\n├── a.py\n└── b.py"),
    "SQL": in_fence("UPDATE t SET x = 2 WHERE x = 1;\nDELETE FROM t;", "sql"),
    "a log of git": in_fence("commit 1\nAuthor: A\n\n    Replace x with y", "text"),
    "an answer with a quotation": "> Can you change x?\n\nYes, done.\n\n> And `b.py`?\n\nNot needed.",
    "names with arrows": "- `a.py` → `b.py`\n- `y_old` → `y_new`",
    "a table of what was done": "| File | Before | After |\n| --- | --- | --- |\n| `good.py` | `y_old` | `y_new` |",
    "a program that prints": in_fence("python - <<'EOF'\nprint('a.py')\nEOF", "bash"),
    "packages": in_fence(js({"dependencies": {"vue.js": "1", "a.js": {"b": 1}}}, 2), "json"),
    "links": "See [a.py](src/a.py) and <https://example.com/file?path=a.py>.",
    "mathematics": "If a < b and b > c, then <<a>> is x = 1 + 2.",
    "Docker": in_fence("FROM python:3.12\nCOPY . /app\nRUN pip install .", "dockerfile"),
    "a regular expression": in_fence("s/old/new/g", "text"),
    "what pytest prints": in_fence(
        "===== FAILURES =====\n_____ test_a _____\n>       assert 1\n===== 1 failed =====", "text"
    ),
    "a program that reads": in_fence("python -c \"print(open('a.py').read())\"\npython -c \"open(p, 'w')\"", "bash"),
    "a call in code": in_fence("edit_file('a.py', 'x', 'y')\n", "python"),
    "calls that edit nothing": in_fence("s.replace('a.py', 'b.py')\nprint('a.py', 'b')\nedit_file(name, 'x', 'y')"),
    "a tool that is described": js({"name": "rename_file", "parameters": {"from": {"type": "string"}}}),
    "a message": js({"from": "ann@example.com", "to": "bob@example.com", "file": "a.py", "subject": "x"}),
    "what the block did, listed": "\u25cf Update(good.py)\n  \u23bf  Updated\n     1 -y_old\n     1 +y_new",
    "what was looked at, listed": "\u25cf Read(a.py)\n  \u23bf  Read 12 lines\n\n\u25cf Update(everything)",
    "a listing in code": in_fence("# \u25cf Update(a.py)\n", "python"),
    "tests to add": "Add tests for `f` to `tests/test_a.py`. Add `a.py` to `b.py`. Add `y_new` to `good.py`.",
    "text that the block adds": "Add `y_new` to `good.py`.",
    "a command with an option": "Add `--verbose to a.py` to it.",
    "a call of another tool": js({"name": "query", "arguments": {"path": "/items", "search": "a", "replace": "b"}}),
}
