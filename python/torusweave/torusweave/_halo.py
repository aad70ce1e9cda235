"""Words of an exchange whose blocks go as far from every node: who sends them where, in the order of the design."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np


def _opposite(hops: Sequence[int]) -> Tuple[int, ...]:
    return tuple(-hop for hop in hops)


def is_mutual(program: Dict[str, Any]) -> bool:
    """Returns true if a program has blocks by offset, and nodes get some from all to which they send some."""
    offsets = {tuple(offset["hops"]) for offset in program.get("offsets", [])}
    return bool(offsets) and all(_opposite(hops) in offsets for hops in offsets)


class Halo:
    """Places of the words of a program with `offsets`, in the arrays of a caller and in the rows of the nodes."""

    def __init__(self, program: Dict[str, Any], nodes: int) -> None:
        self.program, self.nodes = program, nodes
        offsets = program["offsets"]
        self.words: List[int] = [offset["words"] for offset in offsets]
        by_hops = {tuple(offset["hops"]): number for number, offset in enumerate(offsets)}
        # number of the offset that leads back
        self.back: List[int] = [by_hops[_opposite(hops)] for hops in by_hops]
        # first word of each offset, where its rows stand after those of the offsets before; the last place is a zero
        self._first = np.cumsum([0] + [nodes * words for words in self.words])
        sent: List[List[Tuple[int, int, int]]] = [[] for _ in range(nodes)]
        came: List[List[Tuple[int, int, int]]] = [[] for _ in range(nodes)]
        for number, offset in enumerate(offsets):
            for node, to in enumerate(offset["to"]):
                if to is not None:
                    sent[node].append((to, number, node))
                    came[to].append((node, number, to))
        if "lengths" not in program:
            # blocks that all nodes have for all: one for the node itself, too
            for node in range(nodes):
                sent[node].append((node, -1, node))
                came[node].append((node, -1, node))
        self._own = program["words"]
        rows = [self._places(sorted(blocks)) for blocks in sent]
        self.lengths = [len(row) for row in rows]
        self._sent = np.concatenate(rows)
        self.most = max(sum(self._words(number) for _, number, _ in blocks) for blocks in came)
        # places of the words that came from each neighbour; a zero where nothing did
        zero = nodes * self.most
        self._came = [np.full((nodes, self.words[back]), zero) for back in self.back]
        for node, blocks in enumerate(came):
            at = node * self.most
            for _, number, _ in sorted(blocks):
                words = self._words(number)
                if number >= 0:
                    self._came[self.back[number]][node] = np.arange(at, at + words)
                at += words

    def _words(self, number: int) -> int:
        return self.words[number] if number >= 0 else self._own

    def _places(self, blocks: Sequence[Tuple[int, int, int]]) -> np.ndarray:
        """Places of the words of a node's blocks."""
        places = [np.zeros(0, np.int64)]
        for _, number, node in blocks:
            words = self._words(number)
            first = self._first[number] + node * words if number >= 0 else 0
            places.append(np.arange(first, first + words) if number >= 0 else np.full(words, self._first[-1]))
        return np.concatenate(places)

    def takes(self, shapes: Sequence[Tuple[int, ...]]) -> bool:
        """Returns true if arrays of these shapes have the words for each neighbour."""
        return len(shapes) == len(self.words) and all(
            shape[:1] == (self.nodes,) and int(np.prod(shape[1:])) == words for shape, words in zip(shapes, self.words)
        )

    def shown(self) -> str:
        """Shapes of the arrays."""
        return "[" + ", ".join(str((self.nodes, words)) for words in self.words) + "]"

    def given(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """Words of all nodes, in the order in which each gives them."""
        words = np.concatenate([array.reshape(-1) for array in arrays] + [np.zeros(1, arrays[0].dtype)])
        return words[self._sent]

    def taken(self, got: np.ndarray) -> List[np.ndarray]:
        """Words that came from each neighbour, by node."""
        words = np.append(got, np.zeros(1, got.dtype))
        return [words[places] for places in self._came]
