"""Descriptions of designs: NAME_programs.json, read to a bound and checked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from ._errors import TorusError

FORMAT = "torusweave-programs/1"
# bytes of a description
MOST_BYTES = 1 << 26
# addresses of the registers, in words: the same in every design of this version
REGISTERS = {
    "ID": 0,
    "VERSION": 1,
    "HASH": 2,
    "GEOMETRY": 3,
    "CTRL": 4,
    "STATUS": 5,
    "PROGRAM": 6,
    "ROOT": 7,
    "CYCLES": 8,
    "RUNS": 9,
    "MISFRAMED": 10,
    "HEAD": 16,
    "DATA": 17,
}
# registers of a design on several boards
OF_BOARDS = {"LINKS": 11, "BOARD": 12}
COLLECTIVES = ("gossip", "all-reduce", "reduce-scatter", "reduce", "exchange", "broadcast", "scatter", "gather")
ROOTED = ("broadcast", "scatter", "gather", "reduce")
REDUCTIONS = ("all-reduce", "reduce-scatter", "reduce")
# fields that HASH covers: all that the meaning of words depends on
COVERED = ("format", "network", "nodes", "width", "programs", "together", "boards")

Json = Dict[str, Any]


class _Fields:
    """Fields of an object, each checked as it is read."""

    def __init__(self, path: Path, place: str, value: Any) -> None:
        self._path, self._place = path, place
        if not isinstance(value, dict):
            raise self.wrong("must be an object")
        self._value = value

    def wrong(self, what: str) -> TorusError:
        place = self._place or "the whole"
        return TorusError(f"{self._path} describes no design: {place} {what}; `torusweave generate CONFIG` writes one")

    def get(self, name: str, is_right: Callable[[Any], bool], wanted: str) -> Any:
        if name not in self._value:
            raise self.wrong(f"has no `{name}`")
        value = self._value[name]
        if not is_right(value):
            raise self.wrong(f"has a `{name}` that must be {wanted}")
        return value

    def has(self, name: str) -> bool:
        return name in self._value

    def number(self, name: str, least: int, most: int) -> int:
        value: int = self.get(name, lambda value: _is_number(value, least, most), f"a number from {least} to {most}")
        return value

    def text(self, name: str) -> str:
        value: str = self.get(name, lambda value: isinstance(value, str), "a text")
        return value

    def texts(self, name: str) -> List[str]:
        value: List[str] = self.get(name, _are_texts, "a list of texts")
        return value

    def each(self, name: str, least: int = 1) -> List["_Fields"]:
        values = self.get(name, lambda value: isinstance(value, list) and len(value) >= least, f"a list of {least} or more")
        prefix = f"{self._place}.{name}" if self._place else name
        return [_Fields(self._path, f"{prefix}[{at}]", value) for at, value in enumerate(values)]


def _is_number(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _are_places(value: Any, nodes: int) -> bool:
    """Coordinates of so many nodes, as `1,2`."""
    if not _are_texts(value) or len(value) != nodes:
        return False
    return all(at.isascii() and at.isdigit() for place in value for at in place.split(","))


def hash_of(about: Json) -> int:
    """Value of the register HASH of the described design."""
    covered = {name: about[name] for name in COVERED if name in about}
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:4], "big")


def _check(path: Path, about: Any) -> Json:
    """Refuses a description in which anything that is used is missing or wrong."""
    fields = _Fields(path, "", about)
    if fields.text("format") != FORMAT:
        raise TorusError(f"{path} describes no design of a version that is supported")
    if isinstance(about, dict) and about.get("bus") == "streams":
        raise TorusError(f"{path}: its nodes have streams and no host; generate it with `host: {{ bus: uart }}` to call it")
    nodes = fields.number("nodes", 1, 0xFFFF)
    fields.number("width", 1, 32)
    fields.number("hash", 0, 0xFFFFFFFF)
    fields.get("places", lambda value: _are_places(value, nodes), "a text with coordinates for each node")
    for number, program in enumerate(fields.each("programs")):
        program.number("number", number, number)
        collective = program.get("collective", lambda value: value in COLLECTIVES, f"one of {', '.join(COLLECTIVES)}")
        program.number("words", 1, 0xFFFF)
        program.text("schedule")
        if program.has("count"):
            padded = program.number("padded", 1, 0xFFFF)
            program.number("count", 1, padded)
        if program.has("groups"):
            _check_groups(program, collective, nodes)
        if program.has("lengths"):
            _check_lengths(program, collective, nodes)
        if program.has("offsets"):
            _check_offsets(program, nodes)
        if collective in ROOTED:
            program.get("root", lambda value: value == "any" or _is_number(value, 0, nodes - 1), "`any` or a node")
        if collective in REDUCTIONS:
            program.text("operation")
            program.text("values")
    if fields.has("together"):
        _check_together(fields, nodes)
    registers = {register.text("name"): register.number("word", 0, (1 << 30) - 1) for register in fields.each("registers")}
    wanted = {**REGISTERS, **(OF_BOARDS if fields.has("boards") else {})}
    for name, word in wanted.items():
        if registers.get(name) != word:
            raise fields.wrong(f"must have the register {name} at word {word}")
    for code in fields.each("codes"):
        code.number("number", 1, 255)
        code.text("about")
    if fields.has("boards"):
        _check_boards(path, about["boards"], nodes)
    if hash_of(about) != about["hash"]:
        raise fields.wrong("was changed since it was generated: its `hash` is of something else")
    return dict(about)


def _check_lengths(program: _Fields, collective: str, nodes: int) -> None:
    """Rows of the words of each pair's block, or one row of those of each node's."""
    one = nodes if program.has("groups") else 1
    rows = {"exchange": nodes, "scatter": one, "gather": one}.get(collective, 0)

    def are_lengths(value: Any) -> bool:
        if not isinstance(value, list) or len(value) != rows or not all(isinstance(row, list) and len(row) == nodes for row in value):
            return False
        numbers = [number for row in value for number in row]
        return all(_is_number(number, 0, 0xFFFF) for number in numbers) and any(numbers)

    program.get("lengths", are_lengths, f"{rows} rows of {nodes} numbers of words")


def _check_groups(program: _Fields, collective: str, nodes: int) -> None:
    """Nodes of each group, each in one group, and a root in each."""
    groups = _Fields(program._path, f"{program._place}.groups", program.get("groups", lambda value: isinstance(value, dict), "an object"))

    def are_nodes(value: Any) -> bool:
        lists = isinstance(value, list) and all(isinstance(group, list) and len(group) > 1 for group in value)
        return lists and sorted(str(node) for group in value for node in group) == sorted(map(str, range(nodes)))

    groups.text("form")
    members = groups.get("nodes", are_nodes, f"lists of {nodes} nodes, each once")
    if collective in ROOTED:

        def are_roots(value: Any) -> bool:
            return isinstance(value, list) and len(value) == len(members) and all(root in group for root, group in zip(value, members))

        groups.get("roots", are_roots, "a node of each group")


def _check_offsets(program: _Fields, nodes: int) -> None:
    """Blocks by offset, with the receiver of each node's."""

    def are_hops(value: Any) -> bool:
        return isinstance(value, list) and value != [] and all(_is_number(hop, -(1 << 31), (1 << 31) - 1) for hop in value)

    def are_receivers(value: Any) -> bool:
        return isinstance(value, list) and len(value) == nodes and all(node is None or _is_number(node, 0, nodes - 1) for node in value)

    for offset in program.each("offsets"):
        offset.get("hops", are_hops, "a list of hops along each axis")
        offset.number("words", 0, 0xFFFF)
        offset.get("to", are_receivers, f"a list of {nodes} nodes, with null where there is none")


def _check_together(fields: _Fields, nodes: int) -> None:
    """Programs that are played at once, with the words of each at every node."""
    last = len(fields.each("programs")) - 1

    def are_words(value: Any) -> bool:
        return isinstance(value, list) and len(value) == nodes and all(_is_number(words, 0, 0xFFFF) for words in value)

    for number, together in enumerate(fields.each("together"), last + 1):
        together.number("number", number, number)
        for part in together.each("programs", 2):
            part.number("program", 0, last)
            part.get("takes", are_words, f"a list with the words of {nodes} nodes")
            part.get("gives", are_words, f"a list with the words of {nodes} nodes")


def _check_boards(path: Path, boards: Any, nodes: int) -> None:
    fields = _Fields(path, "boards", boards)
    each = fields.each("each")
    ports = fields.texts("ports")
    own: List[Optional[int]] = []

    def is_place(node: Any) -> bool:
        return node is None or _is_number(node, 0, nodes - 1)

    for board in each:
        board.text("place")
        board.number("code", 0, 0xFFFFFFFF)
        own += board.get(
            "nodes",
            lambda value: isinstance(value, list) and value != [] and all(is_place(node) for node in value),
            "a list of nodes, with null for those that are dead",
        )
    codes = [board["code"] for board in boards["each"]]
    if sorted(node for node in own if node is not None) != list(range(nodes)) or len(set(codes)) < len(codes):
        raise fields.wrong("must have every node on one board, and a code for each board")
    ends = fields.get("ends", lambda value: isinstance(value, list) and len(value) == len(each), "a list for each board")
    if not all(_are_texts(end) and set(end) <= set(ports) for end in ends):
        raise fields.wrong("has `ends` that must be ports")
    for fault in fields.each("faults"):
        fault.number("number", 1, 15)
        fault.text("about")


def description(path: Path) -> Json:
    """Description of a design: a NAME_programs.json, or the one in a folder."""
    try:
        if not path.is_file():
            found = sorted(path.glob("*_programs.json"))
            if not found:
                raise TorusError(f"{path}: no NAME_programs.json there; `torusweave generate CONFIG --out {path}` writes one")
            if len(found) > 1:
                names = ", ".join(one.name for one in found)
                raise TorusError(f"{path}: has several designs ({names}); name the file of one")
            path = found[0]
        if not path.is_file():
            raise TorusError(f"{path} cannot be read: it is no file")
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise TorusError(f"{path} cannot be read: it has more than {MOST_BYTES} bytes")
        about = json.loads(text)
    # too deep, too many digits, no UTF-8, no JSON, nothing to read
    except (OSError, ValueError, RecursionError) as error:
        raise TorusError(f"{path} cannot be read: {error}") from error
    # schedules lie beside it
    return {**_check(path, about), "folder": str(path.parent)}


def described(design: int, geometry: int) -> Json:
    """The design with a hash, of those described in this folder and in generated/."""
    wrong: Optional[TorusError] = None
    for path in sorted([*Path().glob("*_programs.json"), *Path().glob("generated/*/*_programs.json")]):
        try:
            about = description(path)
        except TorusError as error:
            wrong = error
            continue
        if about["hash"] == design and geometry_of(about) == geometry:
            return about
    besides = f" ({wrong})" if wrong else ""
    raise TorusError(f"the design that answers has hash {design:08x}: name its folder, as in connect(WHERE, DIR){besides}")


def geometry_of(about: Json) -> int:
    """Value of the register GEOMETRY: the nodes of a device, and the bits of a word."""
    nodes: int = len(about["boards"]["each"][0]["nodes"]) if "boards" in about else about["nodes"]
    return nodes << 16 | int(about["width"])
