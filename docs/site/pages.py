"""What mkdocs is told of haltere's pages: a hook of mkdocs.yml. The pages are written for reading as they are, in a
clone or on the web; what mkdocs wants otherwise is changed here, in a copy."""

import pathlib
import re
import shutil

from mkdocs.exceptions import BuildError

ROOT = pathlib.Path(__file__).resolve().parents[2]
KATEX = pathlib.Path("/usr/share/javascript/katex")
COPIED = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs/**/*", "models/**/*", "bench/README.md", "examples/**/*"]


def on_config(config):
    copy = pathlib.Path(config["docs_dir"])
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for pattern in COPIED:
        for file in sorted(ROOT.glob(pattern)):
            if file.is_file() and ROOT / "docs/site" not in file.parents:
                place = copy / file.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, place)
    (copy / "site").mkdir()
    for name in ("look.css", "equations.js"):
        shutil.copyfile(ROOT / "docs/site" / name, copy / "site" / name)
    shutil.copytree(KATEX / "fonts", copy / "site/katex/fonts", ignore=shutil.ignore_patterns("*.ttf", "*.woff"))
    for name in ("katex.min.css", "katex.min.js"):
        shutil.copyfile(KATEX / name, copy / "site/katex" / name)
    decisions = sorted((copy / "docs/decisions").glob("*.md"))
    titles = "".join(f"- [{title_of(page)}]({page.name})\n" for page in decisions)
    (copy / "docs/decisions/README.md").write_text("# Decisions\n\nWhy haltere is built as it is.\n\n" + titles)
    fill(config["nav"], "Decisions", [f"docs/decisions/{name}" for name in ["README.md", *(page.name for page in decisions)]])
    models = sorted((copy / "models").glob("*/README.md"))
    fill(config["nav"], "Models", ["models/README.md", *(f"models/{page.parent.name}/README.md" for page in models)])
    return config


def title_of(page):
    return page.read_text().splitlines()[0].lstrip("# ")


def fill(nav, name, pages):
    for entry in nav:
        for key, value in entry.items() if isinstance(entry, dict) else ():
            if key == name:
                entry[key] = pages
            elif isinstance(value, list):
                fill(value, name, pages)


def on_page_markdown(markdown, page, config, files):
    folder = pathlib.Path(config["docs_dir"]) / pathlib.Path(page.file.src_path).parent
    if page.file.src_path == "docs/theory.md":
        markdown = with_equations(markdown)
    lines, fenced, before = [], False, ""
    for line in markdown.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            line = re.sub(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)", lambda m: link(folder, m), line)
            item = re.match(r"(- |\d+\. )", line)
            # a list may follow a paragraph without an empty line; mkdocs wants one
            if item and before.strip() and not re.match(r"\s|- |\d+\. ", before):
                lines.append("")
            # the text of an item goes on below its text; mkdocs wants four spaces
            indent = len(line) - len(line.lstrip(" "))
            if indent in (2, 3):
                line = "    " + line.lstrip(" ")
        lines.append(line)
        before = line
    return with_complete_files("\n".join(lines), folder)


def link(folder, match):
    """A folder is shown by its README.md."""
    target, anchor = match.group(1), match.group(2) or ""
    if (folder / target / "README.md").is_file():
        target = target.rstrip("/") + "/README.md"
    return f"]({target}{anchor})"


def with_complete_files(markdown, folder):
    """Below "The complete file: [NAME](NAME)" the file itself, folded."""
    def shown(match):
        text = (folder / match.group(1)).read_text().replace("\n", "\n    ").rstrip()
        return f"{match.group(0)}\n\n??? note \"{match.group(1)}\"\n    ```yaml\n    {text}\n    ```\n"
    return re.sub(r"^The complete file: \[[^\]]*\]\(([^)]+)\)\.?$", shown, markdown, flags=re.M)


def with_equations(markdown):
    """Blocks of equations, which stand in docs/theory.md as text, as theory.tex typesets them."""
    typeset = {}
    for block in re.split(r"\n\n+", (ROOT / "docs/site/theory.tex").read_text()):
        text = tuple(line[3:] for line in block.splitlines() if line.startswith("%% "))
        rows = [line for line in block.splitlines() if line and not line.startswith("%")]
        if text:
            typeset[text] = rows
    lines, block, fenced = [], [], False
    for line in [*markdown.splitlines(), ""]:
        fenced ^= line.startswith("```")
        if line.startswith("    ") and line.strip() and not fenced:
            block.append(" ".join(line.split()))
            continue
        if block:
            if tuple(block) not in typeset:
                raise BuildError("docs/site/theory.tex has no equations for this block of docs/theory.md:\n" + "\n".join(block))
            rows = typeset.pop(tuple(block))
            body = " \\\\[0.5em]\n".join(rows)
            if len(rows) > 1:
                body = f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
            lines += ["", "$$", body, "$$", ""]
            block = []
        lines.append(line)
    if typeset:
        raise BuildError("docs/site/theory.tex has equations that docs/theory.md has not:\n" + "\n".join(next(iter(typeset))))
    return "\n".join(lines)
