"""Compares a design's component.xml with its Verilog, its list of files and its description.

usage: component.py FOLDER
"""

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"


def main(folder: Path) -> None:
    root = ET.parse(folder / "component.xml").getroot()

    def text(element: ET.Element, path: str) -> str:
        found = element.find("/".join(SPIRIT + part for part in path.split("/")))
        assert found is not None and found.text, path
        return found.text

    def every(name: str):
        return root.iter(SPIRIT + name)

    top = text(root, "name")
    assert text(root, "model/views/view/modelName") == top
    # ports, in the order of the module; words may have the bits of a parameter
    verilog = (folder / f"{top}.v").read_text()
    width = re.search(r"parameter integer WIDTH = (\d+)", verilog)

    def bits(vector: str) -> int:
        times, name, high = re.fullmatch(r"\[(?:(\d+)\*)?(WIDTH-1|WIDTH)?(\d+)?:0\]", vector).groups()
        return int(times or 1) * int(width[1]) - 1 if name else int(high)

    declared = re.findall(r"^    (input|output) +(?:wire|reg) +(?:(\[\S+:0\]) )?(\w+)", verilog, re.M)
    wanted = [(name, direction[:-3], bits(vector) if vector else 0) for direction, vector, name in declared if name != "unused"]
    ports = []
    for port in every("port"):
        high = port.find(f"{SPIRIT}wire/{SPIRIT}vector/{SPIRIT}left")
        ports.append((text(port, "name"), text(port, "wire/direction"), int(high.text) if high is not None else 0))
    assert ports == wanted, (ports, wanted)
    # every port of a bus, the clock and the reset stand in one interface
    mapped = [text(one, "physicalPort/name") for one in every("portMap")]
    buses = [name for name, _, _ in ports if re.match(r"(.*_)?[sm]_axis?_|a?clk$|a?rst$|aresetn$", name)]
    assert sorted(mapped) == sorted(buses), (mapped, buses)
    for bus in every("busInterface"):
        prefix = text(bus, "name")
        for one in bus.iter(f"{SPIRIT}portMap"):
            name, logical = text(one, "physicalPort/name"), text(one, "logicalPort/name")
            assert name == prefix or name == f"{prefix}_{logical.lower()}", (name, logical)
        # the sender of words is the master of a stream
        sends = next((direction for name, direction, _ in ports if name == prefix + "_tvalid"), None)
        is_master = bus.find(f"{SPIRIT}master") is not None
        assert sends is None or is_master == (sends == "out"), prefix
    # registers
    described = next(folder.glob("*_programs.json"), None)
    # one collective has no registers
    about = json.loads(described.read_text()) if described else {"registers": [], "name": top}
    wanted = [(one["name"], 4 * one["word"], "read-write" if one["writable"] else "read-only") for one in about["registers"]]
    registers = [(text(one, "name"), int(text(one, "addressOffset"), 16), text(one, "access")) for one in every("register")]
    assert registers == wanted, (registers, wanted)
    files = [text(one, "name") for one in every("file")]
    assert files == (folder / f"{about['name']}.f").read_text().split(), files
    print(f"{len(ports)} ports, {len(registers)} registers, {len(files)} files")


main(Path(sys.argv[1]))
