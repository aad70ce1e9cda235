"""Preprocessor of mdBook: takes the pages beside docs/ into the book, and points every link at a page of the book.

mdBook calls it with the book on standard input. docs/SUMMARY.md names pages such as ../README.md, which mdBook would write
outside the book. They become chapters beside the others. A link to a file that is no page, such as an example, becomes text.
"""

import json
import os
import posixpath
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^()\s]+)\)")


def place(page):
    """Path in the book of a page or picture, given by its path in the project; None if the book has none."""
    if page == "README.md" or page == "docs/SUMMARY.md":
        return "index.md"
    if page.startswith("docs/"):
        return page[len("docs/"):]
    return page if page.endswith(".md") and "/" not in page else None


def relinked(page, line):
    """A line of a page with its links as the book has them."""

    def link(match):
        picture, text, target = match.groups()
        path, hash_mark, anchor = target.partition("#")
        if "://" in target or not path:
            return match.group()
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if not os.path.exists(os.path.join(ROOT, file)):
            sys.exit(f"{page}: a link leads nowhere ({target})")
        at = place(file)
        if at is None:
            return text
        folder = posixpath.dirname(place(page))
        return f"{picture}[{text}]({posixpath.relpath(at, folder or '.')}{hash_mark}{anchor})"

    return LINK.sub(link, line)


def content(page, text):
    """The text of a page with its links as the book has them; code stays as it is."""
    lines, is_code = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        lines.append(line if is_code or line.startswith("    ") else relinked(page, line))
    return "\n".join(lines)


def walk(value):
    """Changes every chapter, wherever the version of mdBook keeps it."""
    if isinstance(value, list):
        for item in value:
            walk(item)
    elif isinstance(value, dict):
        chapter = value.get("Chapter")
        if isinstance(chapter, dict) and chapter.get("path"):
            page = posixpath.normpath(posixpath.join("docs", chapter["path"].replace(os.sep, "/")))
            chapter["content"] = content(page, chapter["content"])
            chapter["path"] = chapter["source_path"] = place(page)
        for item in value.values():
            walk(item)


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    walk(book)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
