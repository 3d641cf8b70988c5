"""Which file a block is about: every way to mention one, with two files in which the block fits."""

from itertools import product
from typing import Any

import pytest

from suture import errors, preview_reply
from tests.unit.changes import workspace
from tests.unit.tools.reply_samples import block, new_file

INDEX, ABOUT = "pages/index.html", "pages/about.html"
FILES = {INDEX: "<title>Shop</title>\n<footer>old</footer>\n", ABOUT: "<title>About</title>\n<footer>old</footer>\n"}
FOOTER = block("<footer>old</footer>\n", "<footer>new</footer>\n")
NOWHERE = block("never here\n", "x\n")
WE = block("<title>About</title>\n", "<title>We</title>\n")
NEW = new_file("new\n")
COMMENTED = block("<!-- about.html -->\n<footer>old</footer>\n", "<!-- about.html -->\n<footer>new</footer>\n")
UNCOMMENTED = block("<!-- gone.html -->\n<footer>old</footer>\n", "<footer>new</footer>\n")
NEW_COMMENTED = new_file("<!-- contact.html -->\nnew\n")
TITLE = block("<title>Shop</title>\n", "<title>Store</title>\n")
STORE = "<title>Store</title>\n<footer>old</footer>\n"
NEW_ABOUT = "<title>About</title>\n<footer>new</footer>\n"

FIRST = {
    "a heading": f"### File: {INDEX}\n{TITLE}",
    "a line": f"{INDEX}\n{TITLE}",
    "a fence": f"**{INDEX}**\n```html\n{TITLE}```\n",
    "a diff": f"--- a/{INDEX}\n+++ b/{INDEX}\n@@ -1 +1 @@\n-<title>Shop</title>\n+<title>Store</title>\n",
    "a patch": (
        f"*** Begin Patch\n*** Update File: {INDEX}\n@@\n-<title>Shop</title>\n+<title>Store</title>\n*** End Patch\n"
    ),
}
"""The block before, about the other file."""
SAID = """
Now the same for {}
Now the same for {}:
Next, {}.
And {}:
Also update {}
Then {} needs it, too.
In {} we do the same:
In {}, replace the footer.
Modify {} like this:
Remove the old one from {}:
The other page, {}, gets it as well.
Same edit, other file ({}):
{}'s footer is next
Same thing → {}
For {}, which has the same footer:
在{}中做同样的修改：
Jetzt dasselbe in {}:
### Changes to {}
#### Update the footer in {}
## 2. {} changes
Step 2 — {}
**Changes to {}**
**{}** has the same footer
- {}
- {}: footer
* {} – footer
2. Update {}
2) {} (footer)
✅ {}
👉 Now {}:
🔧 **{}**
📄{}
| {} | footer |
| File | {} |
[{}]({})
See [{}]({}) for the place:
> Now {}
File {}
File: {}
path={}
[File: {}]
<file path="{}">
<file>{}</file>
<edit target="{}">
<source>{}</source>
<!-- {} -->
<!-- In {} -->
// {}
# In {}
/* {} */
-- {}
;; {}
"filename": "{}",
--- {}
--- {} ---
+++ b/{}
=== {} ===
*** {} ***
*** Update File: {}
diff --git a/{} b/{}
Index: {}
@@ {} @@
({}:12)
{}#L12
“{}”
«{}»
@{}
_{}_
~{}~
[[{}]]
...{}...
<h3>{}</h3>
<code>{}</code>
=> {}
{} ↓
""".strip().split("\n")
SAID += [
    '{"path": "{}", "op": "edit"}',
    "{}\n------",
    "Index is done.\n\nNow {}.\n\nFirst, why.\n\nThen, what.\n\nAt last:",
]
NAMES = (
    "about.html",
    ABOUT,
    "`about.html`",
    f"`{ABOUT}`",
    f"**{ABOUT}**",
    f"./{ABOUT}",
    "About.html",
    "pages\\about.html",
)
PLACES = {
    "above": "{said}\n\n{block}",
    "right above": "{said}\n{block}",
    "above a fence": "{said}\n\n```html\n{block}```\n",
    "in the fence": "```html\n{said}\n{block}```\n",
    "two lines up": "{said}\n\nThis keeps the pages in line.\n\n{block}",
    "behind a fence of code": "{said}\n\n```js\nimport x from './index.html'\n```\n\n{block}",
}


def mention(sentence: str, name: str) -> str:
    return sentence.replace("{}", name)


@pytest.mark.promise("reply.mentions")
@pytest.mark.parametrize(("number", "sentence"), list(enumerate(SAID)), ids=SAID)
def test_a_block_lands_in_the_file_that_is_mentioned_or_nowhere(number: int, sentence: str) -> None:
    hits = []
    for count, (first, name, (where, place)) in enumerate(product(FIRST.values(), NAMES, PLACES.items())):
        if (count + number) % 5:
            continue  # of 18,000 ways, each fifth
        second = place.format(said=mention(sentence, name), block=FOOTER)
        after = preview_reply(f"{first}\n{second}", FILES).files
        assert after[INDEX] == STORE, (first, name, where)
        hits.append(after.get(ABOUT) == NEW_ABOUT)
    assert sum(hits) > len(hits) / 4 or sentence.startswith("See"), "refused nearly always"


@pytest.mark.promise("reply.mentions")
@pytest.mark.parametrize("name", NAMES[:6])
def test_a_new_file_is_the_one_that_is_mentioned(name: str) -> None:
    files = {INDEX: FILES[INDEX]}
    for sentence in SAID:
        after = preview_reply(f"{FIRST['a heading']}\n{mention(sentence, name)}\n{NEW}", files).files
        assert after.pop(INDEX) == STORE
        assert list(after.values()) in ([], ["new\n"]), sentence
        assert set(after) <= {ABOUT, "about.html"}, sentence


BESIDE = [
    "{o} is done; now {n}",
    "Like {o}, {n} needs it:",
    "Copy it from {o} to {n}:",
    "Same as {o} but in {n}:",
    "Unlike {o}, {n} has no year.",
    "As in {o}, change {n}:",
    "{o} \u2713\n\nNow {n}:",
    "**{o}**: done\n\nNow the same for {n}",
    "- {o}: done\n- {n}: next",
    "### {o}\n\nDone.\n\nNow {n}:",
    "### Recap of {o}\n\nNow the same goes for {n}.",
    "{o}\n\nDone above. Next is {n}:",
    "{o}\n\nDone above. Next is {n}",
    "| {o} | done |\n| {n} | todo |",
    "The change in {o} is complete.\n\n{n}\n",
    "## {n}\n\nMirrors {o}.",
    "{n} (same as {o})",
    "{n} \u2014 identical to {o}:",
    "`{n}` \u2190 `{o}`",
    "[{n}]({n}) after [{o}]({o}):",
    "File: {n}\n\nAs {o}:",
    "Now {n}, which links to {o}:",
    "Replace the footer of {n} by that of {o}:",
    "diff between {o} and {n}:",
    "<!-- {o} done -->\n<!-- {n} -->",
    "{o}'s footer is also in {n}.",
    "That was {o}.\n```\n{n}\n```",
    "That was {o}.\n```html\n<!-- {n} -->\n```",
    "{o} \u2192 {n}",
    "{n}: like {o}, minus the year",
    "Done with {o}. {n} has the same footer as well:",
]
"""Sentences about the file `n` that speak of the one before, `o`, as well."""


@pytest.mark.promise("reply.mentions")
@pytest.mark.parametrize("sentence", BESIDE)
def test_a_block_does_not_land_in_the_file_before_because_that_is_mentioned_too(sentence: str) -> None:
    names = (("index.html", "about.html"), (INDEX, ABOUT), ("`index.html`", "`about.html`"))
    for (old, new), place in product(names, ("{}\n{}", "{}\n\n```html\n{}```\n", "{}\n\nHere:\n\n{}")):
        reply = f"{FIRST['a heading']}\n{place.format(sentence.format(o=old, n=new), FOOTER)}"
        assert preview_reply(reply, FILES).files[INDEX] == STORE, place


INHERITED = """
And the footer:
The year is new, e.g. for v1.2 and Python 3.11/3.12.
Since Node.js 18.2.1 and Vue.js it works; see https://example.org/about.html.
We call `obj.method`, `foo()`, `os.path.join` and response.json() here.
`self.config` and `process.env.NODE_ENV` stay as they are.
i.e. the same, etc., and/or client/server over http/1.1
In the U.S. at 5 p.m. on 1.2.2024, for 3.50
Run the build; it is under the MIT license.
The .html files are served as text/html, and *.css as text/css.
`footer.old` becomes `footer.new`:
Bump 1.0.0-beta.1 → 1.0.0-rc.2
Still in index.html:
In pages/index.html we also need it.
- `this.state.value`
### 2.1 The footer
### The footer of `index.html`
| a | b |
foo...bar
Call `app.get('/about')` then, and `npm run build`.
There is no contact.html yet.
(about.html already has this.)
Do not touch about.html.
Please leave `about.html` as it is.
pages/about.html needs no change.
Run pytest about.html afterwards.
Then run `python about.html`
The `</footer>` and </main> tags stay:
Now for `os.path` and `self.value`, e.g. in v1.2:
""".strip().split("\n")


@pytest.mark.parametrize("sentence", INHERITED)
def test_where_no_other_file_is_mentioned_the_block_before_tells_it(sentence: str) -> None:
    for first, place in product(FIRST.values(), ("{}\n{}", "{}\n\n```html\n{}```\n", "{}\n\nThat is all:\n\n{}")):
        preview = preview_reply(f"{first}\n{place.format(sentence, FOOTER)}", FILES)
        assert preview.files == {INDEX: "<title>Store</title>\n<footer>new</footer>\n"}, sentence


MISSING = """
.dockerignore .editorconfig .env .env.local .gitignore .npmrc BUILD CODEOWNERS COPYING Caddyfile Cargo.lock
CONTRIBUTING Dockerfile.dev Gemfile.lock LICENSE MANIFEST.in README VERSION bin/run foo.bat foo.bicep foo.c foo.cfg
foo.cmd foo.conf foo.config foo.d foo.desktop foo.el foo.env foo.ex foo.fish foo.fs foo.gd foo.h foo.hh foo.in foo.inc
foo.jsonnet foo.key foo.lisp foo.lock foo.log foo.m foo.map foo.mk foo.ml foo.mod foo.parquet foo.patch foo.pem foo.pl
foo.pm foo.png foo.po foo.pp foo.properties foo.R foo.rules foo.s foo.scm foo.service foo.sv foo.tf foo.thrift foo.tmpl
foo.v foo.vala foo.vb foo.wasm gradlew meson.build scripts/deploy
""".split()
POINTING = """
Now the same change in `{}`:
Now the same for {}
Next, {}:
## Changes to {}
- {}
- `{}`: the footer
2. **{}**
| {} | footer |
In {}, replace the footer.
In `{}` we do the same:
""".strip().split("\n")


@pytest.mark.promise("reply.mentions")
@pytest.mark.parametrize("name", MISSING)
def test_a_block_for_a_file_that_does_not_exist_lands_nowhere(name: str) -> None:
    for sentence in POINTING:
        preview = preview_reply(f"{FIRST['a line']}\n{mention(sentence, name)}\n\n{FOOTER}", FILES)
        assert preview.files == ONLY_FIRST, sentence


def preview_rest(reply: str, files: dict[str, str], **more: Any) -> tuple[dict[str, str | None], list[str], list[Any]]:
    """What changes, what became of the second block on, and why."""
    preview = preview_reply(reply, files, **more)
    outcomes = [outcome for outcome in preview.outcomes if outcome.id != "1"]
    reasons = [
        (outcome.error.candidates, outcome.error.why)
        for outcome in outcomes
        if isinstance(outcome.error, errors.NoPath)
    ]
    return preview.files, [outcome.error.code if outcome.error else outcome.status for outcome in outcomes], reasons


BOTH: dict[str, str | None] = {INDEX: STORE, ABOUT: NEW_ABOUT}
ONLY_FIRST: dict[str, str | None] = {INDEX: STORE}
OTHER = {**FILES, ABOUT: "<title>About</title>\n<footer>other</footer>\n"}
DECIDED: dict[str, tuple[str, dict[str, str], dict[str, str | None], list[str], list[Any]]] = {
    "two that are mentioned, and it fits both": (
        f"{FIRST['a line']}index.html is done. Now about.html.\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [([INDEX, ABOUT], "several")],
    ),
    "two that are mentioned, and it fits one": (
        f"{FIRST['a line']}index.html or about.html has it.\n{FOOTER}",
        OTHER,
        {INDEX: STORE.replace("old", "new")},
        ["applied"],
        [],
    ),
    "two that are mentioned, and it fits none": (
        f"{FIRST['a line']}about.html or index.html has it.\n{NOWHERE}",
        FILES,
        ONLY_FIRST,
        ["NO_MATCH"],
        [],
    ),
    "a file that does not exist": (
        f"{FIRST['a line']}Now contact.html\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [(["contact.html", INDEX], "missing")],
    ),
    "a file that does not exist, beside the one before": (
        f"{FIRST['a line']}index.html is done; now contact.html\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [(["contact.html", INDEX], "missing")],
    ),
    "a file that does not exist, beside another one": (
        f"{FIRST['a line']}There was a contact.html; now about.html\n{FOOTER}",
        FILES,
        BOTH,
        ["applied"],
        [],
    ),
    "a source that does not exist": (
        f"{FIRST['a line']}It takes the year from contact.html\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [(["contact.html", INDEX], "missing")],
    ),
    "a source, and it fits only the one before": (
        f"{FIRST['a line']}It takes the year from about.html\n{FOOTER}",
        OTHER,
        {INDEX: STORE.replace("old", "new")},
        ["applied"],
        [],
    ),
    "a source, and it fits both": (
        f"{FIRST['a line']}It takes the year from about.html\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [([INDEX, ABOUT], "several")],
    ),
    "one that is mentioned, and it fits only the one before": (
        f"{FIRST['a line']}Now about.html\n{FOOTER}",
        OTHER,
        ONLY_FIRST,
        ["NO_PATH"],
        [([ABOUT, INDEX], "elsewhere")],
    ),
    "one that is mentioned, and it fits nowhere": (
        f"{FIRST['a line']}Now about.html\n{NOWHERE}",
        FILES,
        ONLY_FIRST,
        ["NO_MATCH"],
        [],
    ),
    "the same edit as before, and both are mentioned": (
        f"{INDEX}\n{FOOTER}As in index.html, about.html gets the new one.\n{FOOTER}",
        FILES,
        {INDEX: FILES[INDEX].replace("old", "new"), ABOUT: NEW_ABOUT},
        ["applied"],
        [],
    ),
    "a block behind one that prose names the file of": (
        f"### File: {INDEX}\n{TITLE}Now about.html\n{FOOTER}And the title:\n{WE}",
        FILES,
        {INDEX: STORE, ABOUT: "<title>We</title>\n<footer>new</footer>\n"},
        ["applied", "applied"],
        [],
    ),
    "a block behind one whose file is not known": (
        f"{FIRST['a line']}Now contact.html\n{FOOTER}And again:\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH", "NO_PATH"],
        [(["contact.html", INDEX], "missing")] * 2,
    ),
    "a name that several files have": (
        f"{FIRST['a line']}Now about.html\n{FOOTER}",
        {**FILES, "old/about.html": FILES[ABOUT]},
        ONLY_FIRST,
        ["NO_PATH"],
        [(["old/about.html", ABOUT], "several")],
    ),
    "a name that very many files have": (
        f"{FIRST['a line']}Now about.html\n{FOOTER}",
        {**FILES, **{f"{number}/about.html": FILES[ABOUT] for number in range(10, 40)}},
        ONLY_FIRST,
        ["NO_PATH"],
        [([f"{number}/about.html" for number in range(10, 30)], "several")],
    ),
    "a bare name may be the file before, though there is another one": (
        f"{FIRST['a line']}Still in index.html:\n{FOOTER}",
        {**FILES, "index.html": "<title>Root</title>\n<footer>other</footer>\n"},
        {INDEX: STORE.replace("old", "new")},
        ["applied"],
        [],
    ),
    "the file before is known by a part of its path": (
        f"index.html\n{TITLE}As in b/x.html:\n{FOOTER}",
        {INDEX: FILES[INDEX], "b/x.html": FILES[ABOUT]},
        ONLY_FIRST,
        ["NO_PATH"],
        [([INDEX, "b/x.html"], "several")],
    ),
    "a list of files names none of them": (
        f"{FIRST['a line']}Changed:\n- about.html\n- index.html\n\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [([ABOUT, INDEX], "several")],
    ),
    "what a line says about one file, and then another": (
        f"{FIRST['a line']}**index.html**: done, now about.html\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [([INDEX, ABOUT], "several")],
    ),
    "a heading over another file than the line above": (
        f"{FIRST['a line']}### Changes to about.html\nAdd the link to index.html:\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [([ABOUT, INDEX], "several")],
    ),
    "a label holds, whatever is mentioned below it": (
        f"{FIRST['a line']}### File: {ABOUT}\nIt has a link to index.html.\n\nThe footer:\n{FOOTER}",
        FILES,
        BOTH,
        ["applied"],
        [],
    ),
    "a heading that is only a path does not": (
        f"{FIRST['a line']}### {INDEX}\nDone.\n\nNow about.html:\n{FOOTER}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [([INDEX, ABOUT], "several")],
    ),
    "unless only its file fits": (
        f"{FIRST['a line']}### {INDEX}\nAdd the link to about.html:\n{FOOTER}",
        OTHER,
        {INDEX: STORE.replace("old", "new")},
        ["applied"],
        [],
    ),
    "a label above a fence with another file in it": (
        f"{FIRST['a line']}### File: {INDEX}\n```html\n<!-- In about.html -->\n{FOOTER}```\n",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [([ABOUT, INDEX], "several")],
    ),
    "a label above a fence with the same file in it": (
        f"{FIRST['a line']}### File: {ABOUT}\n```html\n<!-- about.html -->\n{FOOTER}```\n",
        FILES,
        BOTH,
        ["applied"],
        [],
    ),
    "behind the marker": (
        f"{FIRST['a heading']}{FOOTER.replace('SEARCH', 'SEARCH in about.html', 1)}",
        FILES,
        BOTH,
        ["applied"],
        [],
    ),
    "a comment in the block, which the file does not have": (
        f"{FIRST['a line']}{COMMENTED}",
        {**FILES, ABOUT: "<!-- about.html -->\n" + FILES[ABOUT].partition("\n")[2]},
        {INDEX: STORE, ABOUT: "<!-- about.html -->\n<footer>new</footer>\n"},
        ["applied"],
        [],
    ),
    "a comment in the block, which the file has": (
        f"{FIRST['a line']}{UNCOMMENTED}",
        {INDEX: "<title>Shop</title>\n<!-- gone.html -->\n<footer>old</footer>\n"},
        {INDEX: STORE.replace("old", "new")},
        ["applied"],
        [],
    ),
    "a comment in a new file": (
        f"{FIRST['a line']}{NEW_COMMENTED}",
        FILES,
        {INDEX: STORE, "contact.html": "<!-- contact.html -->\nnew\n"},
        ["applied"],
        [],
    ),
    "a slip in the name": (
        f"{FIRST['a line']}Now pages/abuot.html\n{FOOTER}",
        FILES,
        BOTH,
        ["applied"],
        [],
    ),
    "a name with spaces": (
        f"{FIRST['a line']}Now `about us.html`\n{FOOTER}",
        {**FILES, "about us.html": FILES[ABOUT]},
        {INDEX: STORE, "about us.html": NEW_ABOUT},
        ["applied"],
        [],
    ),
    "an extension that nobody knows": (
        f"{FIRST['a line']}Now about.page\n{FOOTER}",
        {**FILES, "pages/about.page": FILES[ABOUT]},
        {INDEX: STORE, "pages/about.page": NEW_ABOUT},
        ["applied"],
        [],
    ),
    "such an extension in a decorated line further up": (
        f"{FIRST['a line']}\u00ababout.page\u00bb\n\nThe footer:\n{FOOTER}",
        {**FILES, "pages/about.page": FILES[ABOUT]},
        {INDEX: STORE, "pages/about.page": NEW_ABOUT},
        ["applied"],
        [],
    ),
    "two new files": (
        f"{FIRST['a line']}Make a.html and b.html.\n{NEW}",
        FILES,
        ONLY_FIRST,
        ["NO_PATH"],
        [(["a.html", "b.html"], "several")],
    ),
    "a new file beside one that is there": (
        f"{FIRST['a line']}Beside about.html, make b.html.\n{NEW}",
        FILES,
        {INDEX: STORE, "b.html": "new\n"},
        ["applied"],
        [],
    ),
    "a new file that only a comparison mentions": (
        f"{FIRST['a line']}As in `.env`:\n{NEW}",
        FILES,
        {INDEX: STORE, ".env": "new\n"},
        ["applied"],
        [],
    ),
    "a header of a patch, and then prose": (
        f"{FIRST['a heading']}*** Update File: {ABOUT}\n\nThe footer:\n\n{FOOTER}",
        FILES,
        BOTH,
        ["INCOMPLETE_BLOCK", "applied"],
        [],
    ),
    "two headers of a patch": (
        f"{FIRST['a heading']}```\n*** Update File: x.html\n*** Update File: {ABOUT}\n```\n{FOOTER}",
        FILES,
        BOTH,
        ["INCOMPLETE_BLOCK", "applied"],
        [],
    ),
    "a file that an earlier block moved": (
        f"*** Begin Patch\n*** Update File: {ABOUT}\n*** Move to: us.html\n*** End Patch\nNow about.html\n{FOOTER}",
        FILES,
        {ABOUT: None, "us.html": NEW_ABOUT},
        ["applied"],
        [],
    ),
    "two hunks, of which each file has one": (
        f"{FIRST['a line']}about.html or index.html\n```diff\n@@ ... @@\n-<title>About</title>\n@@ ... @@\n-no\n```\n",
        FILES,
        ONLY_FIRST,
        ["NO_PATH", "NO_PATH"],
        [([ABOUT, INDEX], "several")] * 2,
    ),
    "a diff without a header": (
        f"{FIRST['a line']}Now about.html\n```diff\n-<footer>old</footer>\n+<footer>new</footer>\n```\n",
        FILES,
        BOTH,
        ["applied"],
        [],
    ),
}


@pytest.mark.promise("reply.mentions")
@pytest.mark.parametrize(("reply", "files", "after", "statuses", "reasons"), DECIDED.values(), ids=DECIDED)
def test_several_files_are_decided_by_what_is_in_them(
    reply: str, files: dict[str, str], after: dict[str, str | None], statuses: list[str], reasons: list[Any]
) -> None:
    assert preview_rest(reply, files) == (after, statuses, reasons)


def test_the_first_block_may_be_mentioned_only() -> None:
    assert preview_reply(f"Now about.html\n{FOOTER}", FILES).files == {ABOUT: NEW_ABOUT}
    (outcome,) = preview_reply(f"Now contact.html\n{FOOTER}", FILES).outcomes
    assert isinstance(outcome.error, errors.FileNotFound)
    (outcome,) = preview_reply(f"We use `self.value`:\n{FOOTER}", FILES).outcomes
    assert isinstance(outcome.error, errors.NoPath)


def test_a_default_path_is_for_what_is_mentioned_nowhere() -> None:
    text = f"Words, e.g. these.\n{FOOTER}"
    assert preview_reply(text, FILES, default_path=ABOUT).files == {ABOUT: NEW_ABOUT}
    text = f"Now index.html\n{FOOTER}"
    assert list(preview_reply(text, FILES, default_path=ABOUT).files) == [INDEX]


def test_of_chosen_blocks_the_file_is_found_though_those_before_are_left_out() -> None:
    preview = preview_reply(f"{FIRST['a line']}Now about.html\n{FOOTER}And:\n{WE}", FILES, only=["3"])
    assert preview.files == {ABOUT: "<title>We</title>\n<footer>old</footer>\n"}


REPLIES = {
    "a bare name": (f"Now about.html\n{FOOTER}", ["applied", "applied"]),
    "a near name": (f"Now pages/abuot.html\n{FOOTER}", ["applied", "applied"]),
    "nothing of that name": (f"Now contact.html\n{FOOTER}", ["applied", "failed"]),
    "a path outside": (f"Now ../../about.htm\n{FOOTER}", ["applied", "failed"]),
    "an unknown extension": (f"Now `site.page`\n{FOOTER}", ["applied", "applied"]),
    "words": (f"As `self.value` and `a.b`\n{FOOTER}", ["applied", "applied"]),
    "another folder": (f"Now docs/about.html\n{FOOTER}", ["applied", "failed"]),
}


@pytest.mark.parametrize(("text", "statuses"), REPLIES.values(), ids=REPLIES)
def test_the_workspace_tells_which_file_is_mentioned(text: str, statuses: list[str]) -> None:
    before = {name: content.encode() for name, content in {**FILES, "deep/in/site.page": FILES[ABOUT]}.items()}
    ws, fs = workspace(before)
    result = ws.call("apply_reply", {"reply": f"{FIRST['a heading']}{text}"})
    assert [block["status"] for block in result.metadata["blocks"]] == statuses
    changed = {name for name, content in fs.files().items() if b"new" in content}
    expected = {"a bare name": ABOUT, "a near name": ABOUT, "an unknown extension": "deep/in/site.page", "words": INDEX}
    name = next(key for key, value in REPLIES.items() if value == (text, statuses))
    assert changed == {expected[name]} - {""} if name in expected else changed == set()


def test_the_files_that_a_mention_may_mean_come_in_one_order() -> None:
    files = {INDEX: FILES[INDEX], **{f"{name}/about.html": FILES[ABOUT] for name in ("pages", "old", "a/b", "Zoo")}}
    reply = f"{FIRST['a heading']}Now about.html\n{FOOTER}"
    ws, _ = workspace({name: content.encode() for name, content in files.items()})
    _, block = ws.call("apply_reply", {"reply": reply}).metadata["blocks"]
    _, previewed = preview_reply(reply, files).outcomes
    assert previewed.error is not None
    assert block["error"]["candidates"] == previewed.error.fields()["candidates"]


ODD = ["my notes (old).md", "report (1).txt", "a=b.txt", "x=1", "notes", "docs/notes", "src/my notes.py", "bin/run me"]
NAMED = """
### File: {}
File: {}
**File: {}**
File: `{}`
## {}
## `{}`
{}
{}:
`{}`
**{}**:
1. `{}`
In `{}`:
Next, `{}`:
<file path="{}">
<path>{}</path>
```title="{}"
""".strip().split("\n")
"""Ways to name a file of which nothing but its existence shows that it is one."""


@pytest.mark.promise("reply.odd-names")
@pytest.mark.parametrize("way", NAMED)
@pytest.mark.parametrize("name", ODD)
def test_a_file_with_an_odd_name_is_found_if_it_exists(way: str, name: str) -> None:
    reply = f"{way.format(name)}\n{FOOTER}"
    files = {**FILES, name: FILES[ABOUT]}
    assert preview_reply(reply, files).files == {name: NEW_ABOUT}
    assert preview_reply(f"{FIRST['a heading']}{reply}", files).files == {INDEX: STORE, name: NEW_ABOUT}


NEAR_BLOCK = {
    "above a fence": "my notes (old).md\n```\n{}```\n",
    "in a fence": "```\nmy notes (old).md\n{}```\n",
    "in a comment in a fence": "```python\n# my notes (old).md\n{}```\n",
    "behind the language": "```md my notes (old).md\n{}```\n",
    "behind the language and a colon": "```md:my notes (old).md\n{}```\n",
    "as an attribute without quotes": "```md path=my notes (old).md\n{}```\n",
    "in a heading with prose below": "## my notes (old).md\n\nHere is the change:\n\n{}",
    "in quotation marks": "Now update \u201cmy notes (old).md\u201d as follows.\n{}",
    "in a quotation in prose": "Now update `my notes (old).md` as follows.\n{}",
}


@pytest.mark.promise("reply.odd-names")
@pytest.mark.parametrize("way", NEAR_BLOCK.values(), ids=NEAR_BLOCK)
def test_a_name_with_spaces_is_found_near_a_block(way: str) -> None:
    files = {**FILES, "my notes (old).md": FILES[ABOUT]}
    assert preview_reply(way.format(FOOTER), files).files == {"my notes (old).md": NEW_ABOUT}
    reply = f"{FIRST['a line']}{way.format(FOOTER)}"
    assert preview_reply(reply, files).files == {INDEX: STORE, "my notes (old).md": NEW_ABOUT}


def test_a_name_behind_the_marker_of_a_block_may_be_odd() -> None:
    files = {**FILES, "my notes (old).md": FILES[ABOUT]}
    reply = FOOTER.replace("SEARCH", "SEARCH my notes (old).md")
    assert preview_reply(reply, files).files == {"my notes (old).md": NEW_ABOUT}


def test_a_block_without_a_name_follows_one_with_an_odd_name() -> None:
    files = {**FILES, "my notes (old).md": FILES[ABOUT]}
    for first in FIRST.values():
        you = block("<title>We</title>\n", "<title>You</title>\n")
        reply = f"{first}my notes (old).md\n{FOOTER}\n{WE}And then:\n{you}"
        new = "<title>You</title>\n<footer>new</footer>\n"
        assert preview_reply(reply, files).files == {INDEX: STORE, "my notes (old).md": new}


@pytest.mark.promise("reply.odd-names")
@pytest.mark.parametrize("line", ["notes", "## notes", "In `notes`:", "### File: see notes", "<path>my notes</path>"])
def test_words_are_no_file_if_none_has_that_name(line: str) -> None:
    reply = f"{FIRST['a heading']}{line}\n{FOOTER}"
    new = STORE.replace("old", "new")
    assert preview_reply(reply, {**FILES, "docs/notes": "x", "docs/my notes": "x"}).files == {INDEX: new}


@pytest.mark.promise("reply.odd-names")
@pytest.mark.parametrize(
    "line",
    ["As in `notes`:", "`notes` stays as it is", "We take notes", "notes\n\nHere it is:", "```notes\n```\nThen:"],
)
def test_a_file_with_an_odd_name_is_not_meant_by_every_word(line: str) -> None:
    reply = f"{FIRST['a heading']}{line}\n{FOOTER}"
    new = STORE.replace("old", "new")
    assert preview_reply(reply, {**FILES, "notes": FILES[ABOUT]}).files == {INDEX: new}


@pytest.mark.promise("reply.odd-names")
def test_a_block_that_does_not_fit_the_file_with_an_odd_name_lands_nowhere() -> None:
    reply = f"{FIRST['a heading']}notes\n{FOOTER}"
    preview = preview_reply(reply, {**FILES, "notes": "other\n"})
    assert preview.files == {INDEX: STORE}
    error = preview.outcomes[1].error
    assert isinstance(error, errors.NoPath)
    assert (error.why, error.candidates) == ("elsewhere", ["notes", INDEX])


def test_a_long_chain_of_blocks_follows_the_first_one() -> None:
    steps = [block(f"line {number};\n", f"LINE {number};\n") for number in range(1_000)]
    blocks = "".join(f"Step {number}\n{step}" for number, step in enumerate(steps))
    text = "".join(f"line {number};\n" for number in range(1_000))
    preview = preview_reply(f"## my notes (old).md\n{blocks}", {"my notes (old).md": text}, only=["1000"])
    assert preview.files == {"my notes (old).md": text.replace("line 999", "LINE 999")}


def test_a_file_that_is_mentioned_need_not_have_the_hash_that_is_expected() -> None:
    ws, fs = workspace({name: content.encode() for name, content in FILES.items()})
    known = ws.call("file_read", {"path": INDEX}).metadata["hash"]
    reply = f"{FIRST['a heading']}As in about.html:\n{FOOTER}"
    result = ws.call("apply_reply", {"reply": reply, "expect_hash": known})
    assert [block["status"] for block in result.metadata["blocks"]] == ["applied", "applied"]
    assert fs.files()[ABOUT] == FILES[ABOUT].encode()


@pytest.mark.parametrize("sentence", ["Now the same for .bashrc", ".bashrc", "Next, `.bashrc`:"])
def test_a_protected_file_that_is_mentioned_is_refused(sentence: str) -> None:
    before = {name: content.encode() for name, content in {**FILES, ".bashrc": FILES[ABOUT]}.items()}
    ws, fs = workspace(before)
    result = ws.call("apply_reply", {"reply": f"{FIRST['a line']}\n{sentence}\n\n{FOOTER}"})
    first, second = result.metadata["blocks"]
    assert (first["status"], second["error"]["code"]) == ("applied", "PROTECTED_PATH")
    assert fs.files() == {**before, INDEX: STORE.encode()}


def test_a_refusal_names_the_files() -> None:
    ws, _ = workspace({name: content.encode() for name, content in FILES.items()})

    def refusal(text: str) -> str:
        return next(
            line for line in ws.call("apply_reply", {"reply": text}).text.split("\n") if "Block 2 failed" in line
        )

    def reply(sentence: str, of: str = FOOTER) -> str:
        return f"{INDEX}\n{TITLE}{sentence}\n{of}"

    assert refusal(reply("Now contact.html")) == (
        "Block 2 failed: The text above the block at line 8 of the reply mentions contact.html, which does not exist; "
        f"without the mention, the block would apply to {INDEX}."
    )


EXCERPTS = {
    "a sentence": "Here is the relevant part of `app.py`:\n\n**app.py**\n```python\nx = 2\n```\n",
    "an example": "For example:\n\n```python app.py\nx = 2\n```\n",
    "behind the name": "**app.py** (excerpt)\n```python\nx = 2\n```\n",
    "in a heading": "### app.py - only the changed function\n```python\nx = 2\n```\n",
    "in the info string": "```python app.py snippet\nx = 2\n```\n",
    "in the first line": "```python\n# app.py (relevant part)\nx = 2\n```\n",
    "in the first line, below a path": "app.py\n```python\n# ... only the changed lines\nx = 2\n```\n",
}


@pytest.mark.promise("reply.excerpts")
@pytest.mark.parametrize("text", EXCERPTS.values(), ids=EXCERPTS)
def test_an_excerpt_is_no_whole_file(text: str) -> None:
    ws, fs = workspace({"app.py": b"x = 1\ny = 1\n"})
    result = ws.call("apply_reply", {"reply": text, "whole_files": True})
    (block,) = result.metadata["blocks"]
    assert (block["error"]["code"], block["error"]["problem"]) == ("INCOMPLETE_BLOCK", "excerpt")
    assert "is introduced as an excerpt or an example" in result.text
    assert "SEARCH/REPLACE block for the part that changes" in result.text
    assert fs.files() == {"app.py": b"x = 1\ny = 1\n"}


WHOLE = {
    "the whole": "Here is the whole app.py, for example with a comment:\n\n**app.py**\n```python\nx = 2\n```\n",
    "a folder of that name": "**app.py**\n```python\n# see examples/app.py\nx = 2\n```\n",
    "an example before another fence": "For example:\n```\nx\n```\napp.py\n```python\nx = 2\n```\n",
    "far above": "For example.\n\none\n\ntwo\n\n**app.py**\n```python\nx = 2\n```\n",
}


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_a_whole_file_is_written(text: str) -> None:
    preview = preview_reply(text, {"app.py": "x = 1\n"}, whole_files=True)
    assert (preview.files["app.py"] or "").endswith("x = 2\n")


def test_a_file_of_another_case_in_another_folder_is_suggested_but_not_used() -> None:
    preview = preview_reply(f"### File: Index.html\n{TITLE}", FILES)
    (outcome,) = preview.outcomes
    assert isinstance(outcome.error, errors.FileNotFound)
    assert (outcome.error.near, preview.files) == ([INDEX], {})
