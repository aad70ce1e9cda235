"""Compares the registers of a design in NAME.rdl with its C header, csr.csv, description and component.xml.

The SystemRDL is read by PeakRDL, which also makes an IP-XACT of its own; that has the registers of component.xml, too.

usage: registers.py FOLDER
"""

import csv
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Dict, Tuple

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
# by name: byte offset, and whether it is written
Registers = Dict[str, Tuple[int, bool]]


def of_ip_xact(path: Path) -> Registers:
    def text(register: ET.Element, name: str) -> str:
        found = register.find(SPIRIT + name)
        assert found is not None and found.text, name
        return found.text

    def is_written(register: ET.Element) -> bool:
        # PeakRDL says it of the field
        access = [found.text for found in register.iter(f"{SPIRIT}access")]
        assert len(set(access)) == 1, access
        return access[0] == "read-write"

    def number(written: str) -> int:
        return int(written.replace("'h", "0x"), 0)

    found = ET.parse(path).getroot().iter(f"{SPIRIT}register")
    return {text(one, "name"): (number(text(one, "addressOffset")), is_written(one)) for one in found}


def main(folder: Path) -> None:
    (rdl,) = folder.glob("*.rdl")
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "made.xml"
        peakrdl = Path(sys.executable).parent / "peakrdl"
        subprocess.run([peakrdl, "ip-xact", rdl, "--standard", "2009", "-o", made], check=True)
        registers = of_ip_xact(made)
    about = json.loads(folder.joinpath(f"{rdl.stem}_programs.json").read_text())
    described = {one["name"]: 4 * one["word"] for one in about["registers"]}
    assert {name: offset for name, (offset, _) in registers.items()} == described, (registers, described)
    text = folder.joinpath(f"{rdl.stem}.h").read_text()
    header = re.findall(rf"#define {rdl.stem.upper()}_(\w+) 0x([0-9a-f]{{2}}) /\*", text)
    assert {name: int(offset, 16) for name, offset in header} == described, (header, described)
    with folder.joinpath("csr.csv").open() as rows:
        listed = {row[1][len("torusweave_") :].upper(): (int(row[2], 16), row[4] == "rw") for row in csv.reader(rows) if row[0] == "csr_register"}
    assert registers == listed, (registers, listed)
    files = [rdl.name, f"{rdl.stem}.h", "csr.csv"]
    if folder.joinpath("component.xml").exists():
        assert registers == of_ip_xact(folder / "component.xml"), registers
        files.append("component.xml")
    print(f"{len(registers)} registers are the same in {', '.join(files)}")


main(Path(sys.argv[1]))
