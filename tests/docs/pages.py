#!/usr/bin/env python3
"""Runs what the pages of docs/ show, and compares what the program says now with what stands there.

  pages.py run PROGRAM PAGE     commands and files of one page, in an empty folder with the files that stand beside it
  pages.py links                links of all pages: files and headings; equations of theory.md against site/theory.tex

In a page a comment before a fenced block says what it is:

  <!-- file NAME -->            the block goes into file NAME; further blocks for NAME go below it, after an empty line.
                                A file of that name beside the page must be the same.
  <!-- exit 2 -->               the last command of the `console` block below ends with this status; 0 without it
  <!-- tolerance 0.01 -->       of the numbers in its output, relative; 0.001 without it
  <!-- not run: REASON -->      the block below is only shown

Each `console` block is run: lines with `$ ` are commands, the others what they print. `...` stands for anything, a line
of it alone for any lines. A command without output below it is not compared. Numbers that are both below 1e-6 are
rounding. Clock times ("after 0.03 s") are not compared, counts of steps within a tenth.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w]*\w\.)")
CLOCK = re.compile(r"after [\d.]+ (s|ms|min)\b")
COUNTS = re.compile(r"\b(steps?|evaluations?|rejected|iterations?)\b")
ROUNDING = 1e-6


class Block:
    def __init__(self, language, line):
        self.language, self.line, self.lines = language, line, []
        self.file, self.skip, self.exit, self.tolerance = None, False, 0, 1e-3


def blocks_of(page):
    """Fenced blocks of a page, each with the marks in the comment lines right before it."""
    found, marks, fence = [], [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if fence:
            if line.strip() == "```":
                found.append(fence)
                fence = None
            else:
                fence.lines.append(line)
        elif line.startswith("```"):
            fence = Block(line[3:].strip(), number)
            for mark in marks:
                apply_mark(fence, mark, f"{page}:{number}")
            marks = []
        elif re.fullmatch(r"<!-- .* -->", line.strip()):
            marks.append(line.strip()[5:-4])
        elif line.strip():
            marks = []
    if fence:
        raise SystemExit(f"{page}:{fence.line}: this block has no end")
    return found


def apply_mark(block, mark, place):
    word, _, rest = mark.partition(" ")
    if word == "file":
        block.file = rest
    elif word == "exit":
        block.exit = int(rest)
    elif word == "tolerance":
        block.tolerance = float(rest)
    elif mark.startswith("not run: "):
        block.skip = True
    else:
        raise SystemExit(f"{place}: unknown mark '{mark}'; there are file, exit, tolerance and 'not run: '")


def same_line(shown, now, tolerance):
    """Whether a line of a page says what the program says now."""
    tolerance = 0.1 if COUNTS.search(shown) else tolerance
    return same_words(CLOCK.sub("after 0 s", shown).split(), CLOCK.sub("after 0 s", now).split(), tolerance)


def same_words(shown, now, tolerance):
    if not shown:
        return not now
    if shown[0] == "...":
        return any(same_words(shown[1:], now[skipped:], tolerance) for skipped in range(len(now) + 1))
    if shown[0].startswith("..."):  # "...;": anything that ends so
        return any(same_word(shown[0], now[end], tolerance) and same_words(shown[1:], now[end + 1:], tolerance)
                   for end in range(len(now)))
    return bool(now) and same_word(shown[0], now[0], tolerance) and same_words(shown[1:], now[1:], tolerance)


def same_word(shown, now, tolerance):
    """Of one word: the numbers in it within the tolerance, all else as it stands; "..." is anything here, too."""
    texts = NUMBER.sub("\0", shown.replace("...", "\1")).replace("\1", "...").split("...")
    pattern = ".*".join(re.escape(text).replace("\0", f"({NUMBER.pattern})") for text in texts)
    match = re.fullmatch(pattern, now)
    return bool(match) and all(same_number(float(a), float(b), tolerance)
                               for a, b in zip(NUMBER.findall(shown.replace("...", " ")), match.groups()))


def same_number(a, b, tolerance):
    size = max(abs(a), abs(b))
    return abs(a - b) <= tolerance * size or size < ROUNDING


def first_difference(shown, now, tolerance):
    """The first line of `shown` that does not fit, with the one that is there now; None if all do."""
    position = 0
    for index, line in enumerate(shown):
        if line.strip() == "...":
            following = next((l for l in shown[index + 1:] if l.strip()), None)
            if following is None:
                return None
            while position < len(now) and not same_line(following, now[position], tolerance):
                position += 1
            continue
        if position >= len(now):
            return line, "(nothing)"
        if not same_line(line, now[position], tolerance):
            return line, now[position]
        position += 1
    return ("(nothing)", now[position]) if position < len(now) else None


class Runner:
    def __init__(self, program, page, folder):
        self.page, self.folder, self.problems, self.files = page, pathlib.Path(folder) / "work", [], {}
        self.folder.mkdir()
        tools = pathlib.Path(folder) / "bin"
        tools.mkdir()
        (tools / "haltere").symlink_to(pathlib.Path(program).resolve())
        self.environment = {"PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        self.commands = 0

    def run(self):
        # models beside a page are there from the start; what the page makes itself it makes in the order of its text
        blocks = [block for block in blocks_of(self.page) if not block.skip]
        made = {block.file for block in blocks}
        for file in self.page.parent.iterdir():
            if self.page.name == "README.md" and file.is_file() and file.suffix != ".md" and file.name not in made:
                (self.folder / file.name).write_bytes(file.read_bytes())
        for block in blocks:
            if block.file:
                self.write(block)
            elif block.language == "console":
                self.run_console(block)
        for name, text in self.files.items():
            beside = self.page.parent / name
            if beside.exists() and beside.read_text() != text:
                self.say(1, f"the blocks of {name} are not the file {beside}:\n" + difference(text, beside.read_text()))

    def say(self, line, text):
        self.problems.append(f"{self.page}:{line}: {text}")

    def write(self, block):
        text = "\n".join(block.lines) + "\n"
        self.files[block.file] = self.files[block.file] + "\n" + text if block.file in self.files else text
        (self.folder / block.file).write_text(self.files[block.file])

    def run_console(self, block):
        pairs = []
        for offset, line in enumerate(block.lines):
            if line.startswith("$ "):
                pairs.append((block.line + 1 + offset, line[2:], []))
            elif pairs and not pairs[-1][2] and pairs[-1][1].endswith("\\"):
                pairs[-1] = (pairs[-1][0], pairs[-1][1] + "\n" + line, [])
            elif pairs:
                pairs[-1][2].append(line)
            else:
                self.say(block.line + 1, "a console block begins with a command: '$ haltere ...'")
                return
        for index, (line, command, shown) in enumerate(pairs):
            wanted = block.exit if index == len(pairs) - 1 else 0
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            self.commands += 1
            if done.returncode != wanted:
                self.say(line, f"'{command}' ended with {done.returncode}, not {wanted}:\n{done.stdout}")
            while shown and not shown[-1].strip():
                shown.pop()
            if not shown:
                continue
            now = [l for l in done.stdout.splitlines() if l.strip()]
            wrong = first_difference([l for l in shown if l.strip()], now, block.tolerance)
            if wrong:
                self.say(line, f"'{command}'\n  page: {wrong[0]}\n  now:  {wrong[1]}\n--- all of it:\n{done.stdout[:3000]}")


def difference(a, b):
    import difflib
    return "\n".join(difflib.unified_diff(a.splitlines(), b.splitlines(), "page", "file", lineterm=""))


# -- links --------------------------------------------------------------------------------------------------------

def pages():
    return sorted(p for p in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("models/**/*.md"), *ROOT.glob("bench/*.md")])


def slug(heading):
    """The anchor that a heading gets on the web and in the site."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[`*$]", "", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", heading))


def text_without_code(page):
    fenced = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", fenced)


def anchors_of(page):
    fenced = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    return {slug(h) for h in re.findall(r"^#+ +(.*)$", fenced, flags=re.M)}


def check_links():
    problems, count = [], 0
    for page in pages():
        for target in re.findall(r"\]\(([^)\s]+)\)", text_without_code(page)):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            file = (page.parent / path) if path else page
            if not file.exists():
                problems.append(f"{page.relative_to(ROOT)}: there is no {target}")
            elif anchor and file.suffix == ".md" and anchor not in anchors_of(file):
                problems.append(f"{page.relative_to(ROOT)}: no heading for {target}")
    return problems, f"{count} links"


def check_equations():
    """Blocks of equations in docs/theory.md against the texts in docs/site/theory.tex, which the site shows as TeX."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / "docs/theory.md").read_text(), flags=re.M | re.S)
    blocks = [[" ".join(line.split()) for line in block.splitlines() if line.strip()]
              for block in re.findall(r"(?:^    .*\S.*\n)+", text, flags=re.M)]
    typeset = [[line[3:] for line in block.splitlines() if line.startswith("%% ")]
               for block in re.split(r"\n\n+", (ROOT / "docs/site/theory.tex").read_text())]
    missing = [block for block in blocks if block not in typeset]
    left = [block for block in typeset if block and block not in blocks]
    return ([f"docs/site/theory.tex: nothing for '{block[0]}' of docs/theory.md" for block in missing] +
            [f"docs/site/theory.tex: '{block[0]}' is not in docs/theory.md" for block in left])


def main(arguments):
    if arguments[:1] == ["run"] and len(arguments) == 3:
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(arguments[1], pathlib.Path(arguments[2]).resolve(), folder)
            runner.run()
        problems, done = runner.problems, f"{runner.commands} commands"
        if not runner.commands:
            problems.append(f"{arguments[2]}: nothing was run")
    elif arguments == ["links"]:
        problems, done = check_links()
        problems += check_equations()
    else:
        sys.exit(__doc__)
    print("\n".join(problems) if problems else done)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
