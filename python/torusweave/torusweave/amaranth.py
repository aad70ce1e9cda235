"""A design as a component of Amaranth: streams of its nodes as streams, other ports as signals.

It is made from the folder's component.xml, which designs with streams or behind AXI4-Lite have. Amaranth is no part of this package:
`pip install amaranth`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Union

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Shape
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ._component import Bus, Description, Port


class Design(wiring.Component):
    """A design: its clock and reset are those of its domain, each stream is a stream, and the other ports are signals.

    The payload of a stream has what stands beside its words as fields, too: `data`, `last`, `dest`, `user`, `keep`.
    """

    def __init__(self, folder: Union[str, Path], domain: str = "sync") -> None:
        self.description = Description(folder)
        self._domain = domain
        self._ports = {port.name: port for port in self.description.ports}
        # streams of the nodes, in the order of the module
        self.streams = [bus for bus in self.description.buses if bus.kind == "axis"]
        self._clocked = {bus.port("clk") for bus in self.description.buses if bus.kind == "clock"}
        self._resets = {bus.port("rst"): bus.parameters.get("POLARITY") for bus in self.description.buses if bus.kind == "reset"}
        members: Dict[str, Any] = {}
        for bus in self.streams:
            signature = stream.Signature(data.StructLayout(self._fields(bus)))
            members[bus.name] = Out(signature) if bus.is_master else In(signature)
        for port in self._alone():
            members[port.name] = In(port.bits) if port.is_input else Out(port.bits)
        super().__init__(members)

    def _fields(self, bus: Bus) -> Dict[str, Shape]:
        """Fields of a stream's payload, with their bits."""
        names = ["tdata", "tlast", "tdest", "tuser", "tkeep"]
        return {name[1:]: Shape(self._ports[bus.ports[name]].bits) for name in names if name in bus.ports}

    def _alone(self) -> List[Port]:
        """Ports that are no part of a stream, and neither clock nor reset."""
        inside = {name for bus in self.streams for name in bus.ports.values()}
        inside |= self._clocked | set(self._resets)
        return [port for port in self.description.ports if port.name not in inside]

    def elaborate(self, platform: Any) -> Module:
        """The module, with its files where there is a platform to build for."""
        wires: Dict[str, Any] = {f"i_{name}": ClockSignal(self._domain) for name in self._clocked}
        reset = ResetSignal(self._domain)
        wires.update({f"i_{name}": ~reset if polarity == "ACTIVE_LOW" else reset for name, polarity in self._resets.items()})
        for bus in self.streams:
            inner = getattr(self, bus.name)
            given, taken = ("o_", "i_") if bus.is_master else ("i_", "o_")
            for name in self._fields(bus):
                wires[given + bus.port("t" + name)] = getattr(inner.payload, name)
            wires[given + bus.port("tvalid")] = inner.valid
            wires[taken + bus.port("tready")] = inner.ready
        for port in self._alone():
            wires[("i_" if port.is_input else "o_") + port.name] = getattr(self, port.name)
        if platform is not None:
            for file in self.description.files:
                platform.add_file(file.name, file.read_text())
        m = Module()
        m.submodules.design = Instance(self.description.module, **wires)
        return m
