#!/usr/bin/env python3
"""Packs the program and the Python package into one wheel, so that `pip install` needs no Rust.

    python3 python/wheel.py --program target/dist/torusweave --out target/wheel

The same program gives the same bytes. Needs Python 3.11 and nothing else.
"""

import argparse
import base64
import hashlib
import pathlib
import platform
import re
import sys
import tomllib
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parent
PACKAGE = PROJECT / "torusweave"

# the largest program that users are given
MOST_BYTES = 20_000_000


def tag(program: bytes) -> str:
    """Platform of the wheel: the oldest glibc that has every symbol which the program takes."""
    if program[:4] != b"\x7fELF":
        sys.exit("wheel: the program is not an ELF file\nhelp: build it on Linux, or use `cargo install`")
    versions = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", program)]
    machine = platform.machine()
    return f"manylinux_2_{max(versions)}_{machine}" if versions else f"linux_{machine}"


def metadata(project: dict, readme: str) -> str:
    """METADATA of the wheel, from pyproject.toml and the README."""
    extras = project["optional-dependencies"].items()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        "Summary: Checked Verilog for collectives on tori and meshes, and their Python package",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {needed}" for needed in project["dependencies"]),
        *(line for extra, needed in extras for line in [f"Provides-Extra: {extra}"]),
        *(f"Requires-Dist: {one}; extra == '{extra}'" for extra, needed in extras for one in needed),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + readme


def pack(program: bytes, out: pathlib.Path) -> pathlib.Path:
    """Writes the wheel and returns its path."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    crate = tomllib.loads((PROJECT.parent / "Cargo.toml").read_text())["package"]
    if project["version"] != crate["version"]:
        sys.exit(f"wheel: versions differ: pyproject.toml {project['version']}, Cargo.toml {crate['version']}")
    name = f"{project['name']}-{project['version']}"
    platform_tag = tag(program)
    info = f"{name}.dist-info"
    files = {f"torusweave/{path.name}": path.read_bytes() for path in sorted((PACKAGE / "torusweave").iterdir()) if path.is_file()}
    files[f"{name}.data/scripts/torusweave"] = program
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"]:
        files[f"{info}/licenses/{licence}"] = (PROJECT.parent / licence).read_bytes()
    files[f"{info}/METADATA"] = metadata(project, (PROJECT.parent / "README.md").read_text()).encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: torusweave\nRoot-Is-Purelib: false\nTag: py3-none-{platform_tag}\n"
    files[f"{info}/WHEEL"] = wheel.encode()

    def line(path: str, content: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(content)}\n"

    record = "".join(line(path, content) for path, content in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}-py3-none-{platform_tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            archive.writestr(entry, content)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program, built with --profile dist")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the wheel")
    parser.add_argument("--most-bytes", type=int, default=MOST_BYTES, help="largest program to pack [%(default)s]")
    arguments = parser.parse_args()
    program = arguments.program.read_bytes()
    if len(program) > arguments.most_bytes:
        sys.exit(
            f"wheel: the program must have at most {arguments.most_bytes} bytes (has {len(program)})\n"
            "help: cargo build --profile dist"
        )
    print(pack(program, arguments.out))


if __name__ == "__main__":
    main()
