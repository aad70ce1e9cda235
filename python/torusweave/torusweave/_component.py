"""Interface of a design, as its component.xml (IP-XACT) has it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

from ._errors import TorusError

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
EXTENSION = "{urn:torusweave:design:1}"


class Port(NamedTuple):
    """A port of the module."""

    name: str
    is_input: bool
    bits: int


class Bus(NamedTuple):
    """Ports that belong together, by their names in the standard."""

    name: str
    kind: str
    is_master: bool
    ports: Dict[str, str]
    parameters: Dict[str, str]

    def port(self, name: str) -> str:
        """The port that has a name in the standard."""
        if name not in self.ports:
            raise TorusError(f"component.xml: bus {self.name} has no {name}")
        return self.ports[name]


class Node(NamedTuple):
    """A node with streams, or all nodes behind one stream, whose name is empty then."""

    name: str
    place: Tuple[int, ...]
    # stream of the words that go in, and of those that come out
    into: Optional[Bus]
    out: Optional[Bus]


class Axis(NamedTuple):
    """An axis of the network."""

    side: int
    # bits of a coordinate in TUSER
    bits: int


class Program(NamedTuple):
    """A program of the design."""

    number: int
    collective: str
    operation: Optional[str]

    def __str__(self) -> str:
        return f"{self.number} {self.collective}" + (f" ({self.operation})" if self.operation else "")


class Description:
    """Contents of a component.xml, or of the one in a folder: the module, its ports and buses, and the files that it is made of."""

    def __init__(self, path: Union[str, Path]) -> None:
        path = Path(path)
        if path.suffix != ".xml":
            path = path / "component.xml"
        self.folder = path.parent
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            raise TorusError(
                f"{path}: {error}; designs whose nodes have streams, on one device, and with `bus: axi-lite`, have it"
            ) from error
        self.module = self._text(root, "model/views/view/modelName")
        self.ports = [self._port(port) for port in root.iter(SPIRIT + "port")]
        self.buses = [self._bus(bus) for bus in root.iter(SPIRIT + "busInterface")]
        self.files = [self.folder / self._text(file, "name") for file in root.iter(SPIRIT + "file")]
        known = {port.name for port in self.ports}
        for bus in self.buses:
            for name in bus.ports.values():
                if name not in known:
                    raise TorusError(f"component.xml: bus {bus.name} has `{name}`, which is no port of {self.module}")

        self.name = self.module
        self.axes: List[Axis] = []
        self.message_bits = 0
        self.programs: List[Program] = []
        for extension in root.iter(EXTENSION + "design"):
            self._read(extension)

    def _read(self, extension: ElementTree.Element) -> None:
        """Facts on the network and the programs, which IP-XACT has no place for."""

        def number(element: ElementTree.Element, name: str) -> int:
            try:
                return int(element.get(name, ""))
            except ValueError as error:
                raise TorusError(f"component.xml: {name}: {error}") from error

        self.name = extension.get("name", self.module)
        self.axes = [Axis(number(axis, "side"), number(axis, "bits")) for axis in extension.iter(EXTENSION + "axis")]
        self.message_bits = sum(number(message, "bits") for message in extension.iter(EXTENSION + "message"))
        programs = extension.iter(EXTENSION + "program")
        self.programs = [Program(number(one, "number"), one.get("collective", ""), one.get("operation")) for one in programs]

    def nodes(self) -> List[Node]:
        """Nodes that have streams, row by row; without them the ends of the one stream for all nodes."""
        into: Dict[str, Bus] = {}
        out: Dict[str, Bus] = {}
        for bus in self.buses:
            if bus.kind == "axis":
                end = out if bus.is_master else into
                end[bus.name[: -len("s_axis")].rstrip("_")] = bus
        names = list(dict.fromkeys([*into, *out]))
        places = [tuple(int(number) for number in name[1:].split("_")) if name else () for name in names]
        return [Node(name, place, into.get(name), out.get(name)) for name, place in zip(names, places)]

    def bits(self, port: str) -> int:
        """Bits of a port."""
        return next(one.bits for one in self.ports if one.name == port)

    @staticmethod
    def _text(element: ElementTree.Element, path: str) -> str:
        found = element.find("/".join(SPIRIT + part for part in path.split("/")))
        if found is None or not found.text:
            raise TorusError(f"component.xml: there is no {path}")
        return found.text

    def _port(self, port: ElementTree.Element) -> Port:
        left = port.find(f"{SPIRIT}wire/{SPIRIT}vector/{SPIRIT}left")
        try:
            bits = 1 if left is None or not left.text else int(left.text) + 1
        except ValueError as error:
            raise TorusError(f"component.xml: {error}") from error
        return Port(self._text(port, "name"), self._text(port, "wire/direction") == "in", bits)

    def _bus(self, bus: ElementTree.Element) -> Bus:
        kind = bus.find(SPIRIT + "busType")
        named = "" if kind is None else kind.get(SPIRIT + "name", "")
        maps = bus.iter(SPIRIT + "portMap")
        ports = {self._text(one, "logicalPort/name").lower(): self._text(one, "physicalPort/name") for one in maps}
        parameters = {self._text(one, "name"): self._text(one, "value") for one in bus.iter(SPIRIT + "parameter")}
        return Bus(self._text(bus, "name"), named, bus.find(SPIRIT + "master") is not None, ports, parameters)
