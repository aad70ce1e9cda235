"""A design in cocotb: every stream by its node, numpy arrays in and out, calls, and stalls by chance.

It is made from component.xml, which designs with streams have: one collective or a list of programs. The streams are sources and sinks of
cocotbext-axi. Neither cocotb nor cocotbext-axi is part of this package: `pip install cocotb cocotbext-axi`.
"""

from __future__ import annotations

import logging
import random
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import Lock, RisingEdge, SimTimeoutError, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray

from ._component import Description, Node
from ._errors import TorusError

# a node by its number, its coordinates or its name, as in `n1_2`
NodeLike = Union[int, Sequence[int], str]


class Resolved:
    """Signal whose unknown bits are read as zeros."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __len__(self) -> int:
        return len(self._handle)

    @property
    def value(self) -> int:
        """Value of all bits."""
        return int(self._handle.value.resolve("zeros"))


class RowBus(AxiStreamBus):  # type: ignore[misc]
    """Stream of rows, each by itself: the end of a row is the end of no packet. Places without a word may be unknown."""

    _optional_signals = [name for name in AxiStreamBus._optional_signals if name != "tlast"]

    def __init__(self, entity: Any, prefix: str) -> None:
        super().__init__(entity, prefix)
        for name in {"tdata", "tuser"} & set(self._signals):
            setattr(self, name, Resolved(getattr(self, name)))


class Origin(NamedTuple):
    """The node that a block is of, and the number of the packet where nodes have several."""

    node: Tuple[int, ...]
    message: int


class Packet(NamedTuple):
    """Words up to a `tlast`, or those of a row, and what stands beside them."""

    words: NDArray[Any]
    # origin of each word, where streams tell it
    origins: List[Origin]
    program: Optional[int]


class Design:
    """Drives a design that is the top of the simulation, or any handle with its ports.

    design = Design(dut, "generated/calls_3x4")
    await design.reset()
    await design.send((1, 2), [7], program=0)
    await design.call(program=0)
    words = await design.receive((1, 2))

    Nodes are numbered row by row. `period` is that of the clock, in nanoseconds; with None the clock is yours. A call and a word that are waited
    for longer than `timeout` microseconds raise TorusError.
    """

    def __init__(
        self,
        dut: Any,
        component: Union[str, Path],
        *,
        period: Optional[float] = 10,
        timeout: float = 1000,
    ) -> None:
        self.description = Description(component)
        self._dut = dut
        self._timeout = timeout
        self._nodes = self.description.nodes()
        if not any(node.into for node in self._nodes):
            raise TorusError(
                f"component.xml: {self.description.module} has registers and no streams\n"
                "help: AxiLiteMaster of cocotbext-axi drives `host: { bus: axi-lite }`"
            )
        self.bits = next(self.description.bits(node.into.port("tdata")) for node in self._nodes if node.into)
        clocks = [bus.port("clk") for bus in self.description.buses if bus.kind == "clock"]
        resets = [bus.port("rst") for bus in self.description.buses if bus.kind == "reset"]
        if not clocks or not resets:
            raise TorusError("component.xml: the design must have a clock and a reset")
        self._clock, self._reset = getattr(dut, clocks[0]), getattr(dut, resets[0])
        self._inputs = {port.name for port in self.description.ports if port.is_input}
        # a list of programs takes calls; one collective begins by itself
        self._is_called = "program_number" in self._inputs
        self._calls = Lock()
        for name in {"start", "program_number", "root"} & self._inputs:
            getattr(dut, name).value = 0
        self._reset.value = 1
        if period is not None:
            cocotb.start_soon(Clock(self._clock, period, unit="ns").start())
        # sources and sinks of cocotbext-axi, by node
        self.sources: Dict[Tuple[int, ...], Any] = {}
        self.sinks: Dict[Tuple[int, ...], Any] = {}
        self._lanes = 1
        for bus in self.description.buses:
            # it tells its version and every signal
            logging.getLogger(f"cocotb.{dut._name}.{bus.name}").setLevel(logging.WARNING)
        for node in self._nodes:
            if node.into:
                source = AxiStreamSource(AxiStreamBus.from_prefix(dut, node.into.name), self._clock, self._reset, byte_lanes=1)
                self.sources[node.place] = source
            if node.out and "tkeep" in node.out.ports:
                sink = AxiStreamSink(RowBus.from_prefix(dut, node.out.name), self._clock, self._reset)
                self._lanes = sink.byte_lanes
                self.sinks[node.place] = sink
            elif node.out:
                sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, node.out.name), self._clock, self._reset, byte_lanes=1)
                self.sinks[node.place] = sink

    def _ends(self) -> List[Any]:
        return [*self.sources.values(), *self.sinks.values()]

    @property
    def nodes(self) -> List[Tuple[int, ...]]:
        """Coordinates of the nodes, by number."""
        return [node.place for node in self._nodes]

    def _node(self, named: Optional[NodeLike]) -> Node:
        """The node that is meant; none is named where all nodes have one stream."""
        has_one = self._nodes[0].place == ()
        if named is None and has_one:
            return self._nodes[0]
        if isinstance(named, str):
            found = [node for node in self._nodes if node.name == named]
        elif isinstance(named, (int, np.integer)):
            found = self._nodes[named : named + 1] if named >= 0 and not has_one else []
        else:
            place = tuple(named) if named is not None else None
            found = [node for node in self._nodes if node.place == place]
        if not found:
            if has_one:
                raise TorusError(f"node: must be None (is {named!r}): all nodes have one stream")
            last = self._nodes[-1]
            raise TorusError(
                f"node: there is no node {named!r}\n"
                f"help: name one by its number from 0 to {len(self._nodes) - 1}, or by its coordinates, as in {last.place}"
            )
        return found[0]

    def _program(self, number: Optional[int]) -> int:
        """The program that is meant; none is named where there is one."""
        programs = self.description.programs
        known = ", ".join(map(str, programs))
        if number is None and len(programs) > 1:
            raise TorusError(f"program: must be given\nhelp: the design has {known}")
        number = 0 if number is None else number
        if not 0 <= number < max(len(programs), 1):
            raise TorusError(f"program: there is no program {number}\nhelp: the design has {known}")
        return number

    async def reset(self, clocks: int = 4) -> None:
        """Resets the design, and forgets all words that wait."""
        self._reset.value = 1
        for _ in range(clocks):
            await RisingEdge(self._clock)
        for end in self._ends():
            end.clear()
        self._reset.value = 0
        await RisingEdge(self._clock)

    def stall(self, chance: float, seed: int = 0) -> None:
        """Makes every stream pause in so many of its clocks, by chance."""
        if not 0 <= chance < 1:
            raise TorusError(f"chance: must be from 0 to less than 1 (is {chance})")

        def pauses(dice: random.Random) -> Iterator[bool]:
            while True:
                yield dice.random() < chance

        for number, end in enumerate(self._ends()):
            end.set_pause_generator(pauses(random.Random(f"{seed} {number}")))

    def _raw(self, words: ArrayLike) -> List[int]:
        """Words as bits: numbers of either sign, and floats of a word's size as their bits."""
        array = np.asarray(words)
        if array.ndim > 1:
            raise TorusError(f"words: a packet must have one axis (has {array.ndim})")
        array = array.reshape(-1)
        if array.size == 0:
            return []
        if array.dtype.kind == "f":
            if array.dtype.itemsize * 8 != self.bits:
                raise TorusError(f"words: floats must have the bits of a word, {self.bits} (have {array.dtype.itemsize * 8})")
            array = array.view(f"u{array.dtype.itemsize}")
        elif array.dtype.kind not in "biuO":
            raise TorusError(f"words: must be numbers (are {array.dtype})")
        numbers = [int(word) for word in array]
        for word in numbers:
            if not -(1 << self.bits >> 1) <= word < 1 << self.bits:
                raise TorusError(f"words: must fit in {self.bits} bits ({word} does not)")
        return [word & ((1 << self.bits) - 1) for word in numbers]

    def _array(self, words: Sequence[int]) -> NDArray[Any]:
        """Words as the smallest numbers without a sign that numpy has for them."""
        sizes = [size for size in (8, 16, 32, 64) if size >= self.bits]
        return np.array(words, dtype=f"u{sizes[0] // 8}" if sizes else object)

    async def send(self, node: Optional[NodeLike], words: Any, program: Optional[int] = None) -> None:
        """Queues words at a node's stream: an array of one axis is one packet, rows or a list of arrays are one packet each.

        A packet ends with `tlast` where the design has blocks. `program` is the one that the words are for, in a list of several.
        """
        place = self._node(node).place
        number = self._program(program)
        has_rows = isinstance(words, (list, tuple)) and any(np.ndim(one) > 0 for one in words) or np.ndim(words) > 1
        packets = [self._raw(one) for one in (words if has_rows else [words])]
        for packet in packets:
            if packet:
                await self.sources[place].send(AxiStreamFrame(packet, tdest=number))

    async def call(self, program: Optional[int] = None, root: Optional[NodeLike] = None) -> None:
        """Calls a program for a root, and returns once the call is taken: by a list when it is ready, by one collective when it begins."""
        number = self._program(program)
        rank = 0 if root is None else self._nodes.index(self._node(root))
        if root is not None and not self._is_called:
            raise TorusError("root: must not be given: the config of one collective names the root")
        async with self._calls:
            if self._is_called:
                self._dut.program_number.value = number
                self._dut.root.value = rank
            self._dut.start.value = 1
            try:
                await with_timeout(self._taken(), self._timeout, "us")
            except SimTimeoutError as error:
                missing = "every node must have its words and room for others, before a collective begins"
                help_ = "is the design reset, and are the words of the calls before received?" if self._is_called else missing
                raise TorusError(f"call: program {number} was not taken in {self._timeout} us\nhelp: {help_}") from error
            finally:
                self._dut.start.value = 0

    async def _taken(self) -> None:
        """Waits while `start` is high: for `ready`, or until `busy` rises."""
        was_idle = False
        while True:
            await RisingEdge(self._clock)
            if self._is_called:
                if self._dut.ready.value == 1:
                    return
            else:
                busy = self._dut.busy.value
                if was_idle and busy == 1:
                    return
                was_idle = was_idle or busy == 0

    async def packet(self, node: Optional[NodeLike] = None) -> Packet:
        """Waits for the next packet of a node: words up to a `tlast`; of a design with `local.words`, the next row."""
        named = self._node(node)
        if named.out is None:
            raise TorusError(f"node: {named.name} has no stream out\nhelp: read its m_ram ports, or leave out `local.results`")
        try:
            frame = await with_timeout(self.sinks[named.place].recv(compact=False), self._timeout, "us")
        except SimTimeoutError as error:
            raise TorusError(
                f"receive: {named.out.name} gave no end of a packet in {self._timeout} us\n"
                "help: was the call made, and did every node get as many words as it takes?"
            ) from error
        kept = [lane for lane in range(len(frame.tdata)) if not frame.tkeep or frame.tkeep[lane]]
        origins = [self._origin(frame.tuser[lane] >> (lane % self._lanes) * self._user_bits) for lane in kept if frame.tuser]
        program = int(frame.tdest[0]) if frame.tdest else None
        return Packet(self._array([frame.tdata[lane] for lane in kept]), origins, program)

    @property
    def _user_bits(self) -> int:
        return sum(axis.bits for axis in self.description.axes) + self.description.message_bits

    def _origin(self, user: int) -> Origin:
        """Node and number of a packet, the last in the lowest bits."""
        parts = []
        for bits in [self.description.message_bits, *(axis.bits for axis in reversed(self.description.axes))]:
            parts.append(user & ((1 << bits) - 1))
            user >>= bits
        return Origin(tuple(reversed(parts[1:])), parts[0])

    async def receive(self, node: Optional[NodeLike] = None, words: Optional[int] = None) -> NDArray[Any]:
        """Waits for words of a node: those up to the next `tlast`, or so many, of one packet or several.

        A `tlast` ends what the node has of a call; with `local.order` it ends a block.
        """
        if words is None:
            if self._lanes > 1:
                raise TorusError("words: must be given: rows of several words end no packet")
            return (await self.packet(node)).words
        parts: List[NDArray[Any]] = []
        while sum(map(len, parts)) < words:
            parts.append((await self.packet(node)).words)
        got = sum(map(len, parts))
        if got != words:
            raise TorusError(f"words: packets of {', '.join(str(len(part)) for part in parts)} words do not end after {words}")
        return np.concatenate(parts) if parts else self._array([])

    def check(self) -> None:
        """Raises TorusError if the design saw a fault since its reset, or if words wait that nobody has received."""
        names = [node.name for node in self._nodes]
        said = {
            "misframed": "a block ended at a wrong place",
            "astray": "a word was for another program than the one that was called",
            "absent": "a call named no program or root",
        }
        for port, about in said.items():
            if port not in {one.name for one in self.description.ports}:
                continue
            value = int(getattr(self._dut, port).value)
            if value:
                seen = [name for number, name in enumerate(names) if value >> number & 1]
                where = f" at {', '.join(seen)}" if self.description.bits(port) == len(names) > 1 else ""
                raise TorusError(f"{port}: {about}{where}")
        waiting = [self._nodes[self.nodes.index(place)].name or "m_axis" for place, sink in self.sinks.items() if not sink.empty()]
        if waiting:
            raise TorusError(f"receive: words wait at {', '.join(waiting)} that nobody has received")
