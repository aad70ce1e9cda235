"""Interface of a design, as its component.xml (IP-XACT) has it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Dict, NamedTuple, Union

from ._errors import TorusError

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"


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


class Description:
    """Contents of a component.xml: the module, its ports and buses, and the files that it is made of."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        path = self.folder / "component.xml"
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            raise TorusError(
                f"{path}: {error}; designs with `host: {{ bus: streams }}` on one device, and with `bus: axi-lite`, have it"
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
