"""Groups of nodes that each have a collective for themselves: an array for each, and the words of every node."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._errors import TorusError

Program = Dict[str, Any]
Shape = Tuple[int, ...]


def are_alike(groups: Sequence[Sequence[int]]) -> bool:
    """True if all groups have as many nodes: their results are then one array, else a list."""
    return len({len(nodes) for nodes in groups}) == 1


class Groups:
    """Groups of a program: what each takes and gives, in arrays, and node by node.

    The array of a group has the shape that the collective takes on as many nodes.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.collective: str = program["collective"]
        self.members: List[List[int]] = program["groups"]["nodes"]
        self.roots: Optional[List[int]] = program["groups"].get("roots")
        self.words: int = program["words"]

    def has_root(self, root: Optional[int]) -> bool:
        """True if the root of a group is the member with this number, or if none is asked for. Where nodes are dead numbers differ."""
        return root is None or self.roots is None or root in self.root_numbers()

    def root_numbers(self) -> List[int]:
        """Number of each root in its group."""
        assert self.roots is not None
        return [nodes.index(root) for nodes, root in zip(self.members, self.roots)]

    def taken(self, nodes: int) -> Shape:
        """Shape of what a group of so many nodes takes."""
        if "count" in self.program:
            return (nodes, self.program["count"])
        shapes: Dict[str, Shape] = {"broadcast": (), "gossip": (nodes,), "scatter": (nodes,), "gather": (nodes,), "reduce": (nodes,)}
        return (*shapes.get(self.collective, (nodes, nodes)), self.words)

    def given(self, nodes: int) -> Shape:
        """Shape of what a group gives: what all of its nodes have, what its root has, or a row for each node."""
        if "count" in self.program:
            return (self.program["count"],)
        shapes: Dict[str, Shape] = {"reduce": (), "exchange": (nodes, nodes)}
        return (*shapes.get(self.collective, (nodes,)), self.words)

    def takes(self, shapes: Sequence[Shape]) -> bool:
        """True if the arrays of all groups have the shapes that it takes; all may leave out an axis of one word."""
        wanted = [self.taken(len(nodes)) for nodes in self.members]
        return list(shapes) == wanted or wanted[0][-1] == 1 and list(shapes) == [shape[:-1] for shape in wanted]

    def shown(self) -> str:
        """Shapes that it takes, for errors."""
        wanted = [self.taken(len(nodes)) for nodes in self.members]
        shapes = list(dict.fromkeys(str(shape[:-1] if shape[-1] == 1 else shape) for shape in wanted))
        return f"an array of {' or '.join(shapes)} for each of {len(self.members)} groups"

    def rows(self, arrays: Sequence[np.ndarray], nodes: int) -> List[np.ndarray]:
        """Words that each node takes."""
        rows = [np.zeros(0, arrays[0].dtype)] * nodes
        for number, (members, array) in enumerate(zip(self.members, arrays)):
            if self.collective in ("broadcast", "scatter"):
                assert self.roots is not None
                rows[self.roots[number]] = array.reshape(-1)
                continue
            for node, row in zip(members, array.reshape(len(members), -1)):
                if "padded" in self.program:
                    # the schedule takes more words of a node, which are padding: a block for each member, or one that all share
                    width = self.words if self.program["padded"] == self.words else self.words * len(members)
                    row = np.concatenate([row, np.zeros(width - len(row), row.dtype)])
                rows[node] = row
        return rows

    def most(self) -> int:
        """Most words that a node gives."""
        return int(self.program.get("padded", max(self._words(len(nodes)) for nodes in self.members)))

    def _words(self, nodes: int) -> int:
        """Words that a node of a group of so many gives."""
        return self.words * (1 if self.collective in ("broadcast", "scatter", "reduce", "reduce-scatter") else nodes)

    def results(self, got: np.ndarray, axes: int, all_nodes: bool, result: Callable[[np.ndarray, Shape], np.ndarray]) -> Any:
        """Results of all groups, of the words that each node gave: one array if all groups have as many nodes, else one for each.

        The arrays that came in had so many `axes`: where they left out an axis of one word, so does the result.
        """
        results = []
        for number, members in enumerate(self.members):
            shape = self.given(len(members))
            if axes < len(self.taken(len(members))):
                shape = shape[:-1]
            if self.collective in ("gossip", "all-reduce"):
                rows = got[members, : int(np.prod(shape))]
                for node, row in zip(members, rows):
                    if row.tobytes() != rows[0].tobytes():
                        raise TorusError(f"node {node} has another result than node {members[0]}")
                results.append(result(rows, (len(members), *shape)) if all_nodes else result(rows[0], shape))
            elif self.collective in ("gather", "reduce"):
                assert self.roots is not None
                results.append(result(got[self.roots[number], : int(np.prod(shape))], shape))
            else:
                results.append(result(got[members, : self._words(len(members))], shape))
        return np.stack(results) if are_alike(self.members) else results
