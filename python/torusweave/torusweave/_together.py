"""Collectives that are played at once: their words side by side in one call, and the words of each in what comes back."""

from __future__ import annotations

import contextvars
import threading
from concurrent.futures import Future
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._errors import TorusError

Json = Dict[str, Any]


class Run(NamedTuple):
    """Run that a call asks for."""

    program: Json
    each: List[np.ndarray]
    take: Tuple[str, int]
    root: int
    writers: Optional[List[int]]

    def words(self, node: int) -> np.ndarray:
        """Words that a node takes."""
        is_given = self.writers is None or node in self.writers
        return self.each[node] if is_given else self.each[node][:0]


class Part:
    """One of the calls at once, on a thread of its own: it asks for a run, and waits for what comes of it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._asked: "Future[Run]" = Future()
        self._came: "Future[np.ndarray]" = Future()
        self._result: "Future[Any]" = Future()
        # settings of the caller's, such as numpy's of errors, are the call's as well
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._do, call), name="torusweave part", daemon=True)

    def asked(self) -> Run:
        """Begins the call; returns the run that it asks for, or raises its error."""
        self._thread.start()
        return self._asked.result()

    def play(
        self, program: Json, each: List[np.ndarray], take: Tuple[str, int], root: int, writers: Optional[List[int]]
    ) -> np.ndarray:
        """In place of a design: asks for a run, and returns what came of it."""
        if self._asked.done() or threading.current_thread() is not self._thread:
            raise TorusError("together: each call has to call one collective, and to wait for its result")
        self._asked.set_result(Run(program, each, take, root, writers))
        return self._came.result()

    def result(self, words: np.ndarray) -> Any:
        """Ends the call with the words that came of its run."""
        self._came.set_result(words)
        return self._result.result()

    def give_up(self) -> None:
        """Ends a call whose run was not played."""
        if not self._came.done():
            self._came.set_exception(TorusError("together: another call failed"))

    def _do(self, call: Callable[[], Any]) -> None:
        try:
            result = call()
            if not self._asked.done():
                raise TorusError("together: each call has to call a collective of the torus that it is given")
            self._result.set_result(result)
        except BaseException as error:
            for told in (self._asked, self._result):
                if not told.done():
                    told.set_exception(error)


def give_up(parts: Sequence[Part]) -> None:
    """Ends the calls that wait for a run."""
    for part in parts:
        part.give_up()


def together_of(about: Json, runs: Sequence[Run]) -> Tuple[Json, List[int]]:
    """The programs at once that some runs ask for, and the place of each run among them."""
    wanted = [run.program["number"] for run in runs]
    known = about.get("together", [])
    for together in known:
        numbers = [part["program"] for part in together["programs"]]
        if sorted(numbers) == sorted(wanted):
            return together, [numbers.index(number) for number in wanted]
    shown = "; ".join(_shown([part["program"] for part in one["programs"]]) for one in known) or "none are"
    raise TorusError(f"together: programs {_shown(wanted)} are not played at once: {shown}; list them in `together` of the config")


def _shown(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers[:-1]) + f" and {numbers[-1]}" if len(numbers) > 1 else str(numbers[0])


def joined(together: Json, runs: Sequence[Run], places: Sequence[int], nodes: int) -> List[np.ndarray]:
    """Words that each node takes for all runs."""
    parts = together["programs"]
    in_order = sorted(zip(places, runs), key=lambda placed: placed[0])
    for place, run in in_order:
        for node, words in enumerate(parts[place]["takes"]):
            if len(run.words(node)) != words:
                raise TorusError(f"node {node} takes {words} words of program {run.program['number']}, not {len(run.words(node))}")
    return [np.concatenate([run.words(node) for _, run in in_order]) for node in range(nodes)]


def most(together: Json, nodes: int) -> int:
    """Most words that a node gives for all runs."""
    return max(sum(part["gives"][node] for part in together["programs"]) for node in range(nodes))


def result_of(together: Json, run: Run, place: int, got: np.ndarray) -> np.ndarray:
    """Words that one run alone brings back, of those that each node gave for all."""
    kind, count = run.take
    parts = together["programs"]
    nodes = range(len(got)) if kind == "each" else [run.root]
    rows = np.zeros((len(nodes), count), got.dtype)
    for row, node in zip(rows, nodes):
        first = sum(part["gives"][node] for part in parts[:place])
        words = min(count, parts[place]["gives"][node])
        row[:words] = got[node, first : first + words]
    return rows
