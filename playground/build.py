#!/usr/bin/env python3
"""Builds the playground: one page with the engine in it, target/playground/index.html. It works from a folder, offline."""

import base64
import gzip
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent
TARGET = "wasm32-unknown-unknown"
# more would be slow to load; servers that compress by brotli send a quarter less
MOST_BYTES = 1_640_000


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def engine() -> bytes:
    """The WebAssembly, compressed: the same bytes for the same sources."""
    folder = PROJECT / "target" / "wasm"
    command = ["cargo", "build", "--locked", "--release", "--target", TARGET, "--target-dir", str(folder)]
    subprocess.run(command, cwd=HERE, check=True)
    built = folder / TARGET / "release" / "torusweave_playground.wasm"
    return gzip.compress(built.read_bytes(), compresslevel=9, mtime=0)


def policy(script: str) -> str:
    """What a Content-Security-Policy calls a script: a tag's text begins and ends with a line end."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode() + "'"


def page(packed: bytes) -> str:
    """The page with all that it needs in it."""
    version = re.search(r'^version = "(.*)"$', text(PROJECT / "Cargo.toml"), re.MULTILINE)
    assert version
    script = text(HERE / "page/page.js")
    # the report in its frame keeps to the policy of the page, too
    reports = [text(PROJECT / f"templates/report/{name}.js") for name in ("model", "sheet", "view")]
    parts = {
        "/*STYLE*/": text(PROJECT / "templates/report/page.css") + text(HERE / "page/page.css"),
        "<!--VERSION-->": version.group(1),
        "<!--ENGINE-->": base64.b64encode(packed).decode(),
        "/*WORKER*/": text(HERE / "page/worker.js"),
        "/*SCRIPT*/\n": script,
        "SCRIPTS": " ".join(policy(one) for one in [script, *reports]),
    }
    whole = text(HERE / "page/index.html")
    for mark, part in parts.items():
        assert whole.count(mark) == 1, mark
        whole = whole.replace(mark, part)
    return whole


def main() -> None:
    packed = engine()
    print(f"{len(packed)} bytes of WebAssembly, compressed")
    if len(packed) > MOST_BYTES:
        sys.exit(f"more than {MOST_BYTES}")
    folder = PROJECT / "target" / "playground"
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / "index.html.new"
    new.write_text(page(packed), encoding="utf-8")
    os.replace(new, folder / "index.html")
    print(f"wrote {(folder / 'index.html').relative_to(PROJECT)}")


if __name__ == "__main__":
    main()
