"""Wrong calls and wrong traffic: each is refused or reported, and the next call is right.

usage: trouble.py WHERE
"""

import sys
from typing import Any, Callable, List

import numpy as np

from beside import refused

import torusweave
from torusweave import _board, _torus

SCATTER, COLLECT = 1, 3


def main(where: str) -> None:
    with torusweave.connect(where) as t:
        nodes = t.nodes
        x = np.arange(nodes * nodes, dtype=np.int32).reshape(nodes, nodes) - 7
        sent = t.sent
        refused(lambda: t.allreduce(x[:3]), "shape")
        refused(lambda: t.allreduce(x.astype(np.float64)), "float64")
        refused(lambda: t.allgather(np.zeros(nodes, np.int16)), "int16")
        refused(lambda: t.allreduce(x.astype(np.float32)), "float32")
        refused(lambda: t.broadcast(np.zeros(1, np.int32), root=nodes), "no node")
        refused(lambda: t.scatter(np.zeros(1, np.int32), root=-1), "no node")
        refused(lambda: t._programs("sort"), "not resident")
        assert t.sent == sent, "a wrong call sent something"
        regs, word = t.regs, t.boards[0].word

        def code(accesses: Callable[[], None]) -> int:
            """Error code of some accesses; the design is reset, and the next call has to be right."""
            t.write(word["CTRL"], [4])
            accesses()
            status = regs.status
            while status & 1:
                status = regs.status
            assert bool(status >> 2 & 1) == (status >> 16 & 255 != 0), hex(status)
            t.reset()
            assert np.array_equal(t.allreduce(x), x.sum(0)), "the next call is wrong"
            return status >> 16 & 255

        def packet(header: int, values: List[int]) -> None:
            t.write(word["HEAD"], [header])
            t.write(word["DATA"], values, fixed=True)
            t.write(word["HEAD"], [0])

        def scatter(count: int, each: int = nodes) -> None:
            t.write(word["PROGRAM"], [t._program("all-reduce")["number"], 0])
            packet(SCATTER << 28 | each, list(range(count)))

        # program whose run takes longer than the bytes of an access
        longest = max(t._about["programs"], key=lambda program: program["ticks"])

        def twice() -> None:
            begin(t, longest)
            t.write(word["CTRL"], [1])

        def changed() -> None:
            begin(t, longest)
            t.write(word["PROGRAM"], [1])

        def few() -> None:
            scatter(nodes * nodes - 1)
            t.write(word["CTRL"], [1])

        def too_few_words_each() -> None:
            scatter(nodes * (nodes - 1), nodes - 1)
            t.write(word["CTRL"], [1])

        def many() -> None:
            scatter(nodes * nodes + 1)
            t.write(word["CTRL"], [1])

        def stray() -> None:
            packet(COLLECT << 28 | 1, [])
            # time for the header to come round
            t.read(word["ID"], nodes, fixed=True)
            t.write(word["HEAD"], [SCATTER << 28 | 1])

        def blocked() -> None:
            # nobody takes these words, and nobody reads them
            t.write(word["DATA"], list(range(nodes + 2)), fixed=True)

        assert code(lambda: None) == 0
        assert code(blocked) == 1
        assert code(lambda: t.write(word["ID"], [5])) == 4
        assert code(lambda: t.write(100, [5])) == 4
        assert code(lambda: t.write(word["PROGRAM"], [99])) == 4
        assert code(lambda: t.write(word["ROOT"], [nodes])) == 4
        assert code(lambda: (t.read(100), None)[1]) == 4
        assert code(lambda: (t.read(word["DATA"]), None)[1]) == 5
        assert code(twice) == 2
        assert code(changed) == 3
        assert code(few) == 7
        assert code(too_few_words_each) == 7
        assert code(many) == 6
        assert code(stray) == 6
        # an earlier user of the line broke off in the middle of a command
        for broken in (b"\x01", b"\x03\x09\x00\x00", b"\x01\xff\x00\x00\x00\x06\x01", b"\x02\x03\x00", b"\x04\x05\x00\x00\x00\x11"):
            t.boards[0].line.write(broken, 30.0)
            (answer,) = _board.identities([t.boards[0].line], 30.0)
            assert answer.design == t._about["hash"], broken
            t.boards[0].begin(answer)
            assert np.array_equal(t.allreduce(x), x.sum(0)), broken
        other = dict(t._about, hash=t._about["hash"] ^ 1)
        refused(lambda: _torus.same_design(other, [answer]), "another design answers: hash")
        refused(lambda: _torus.same_design(t._about, [answer._replace(geometry=1)]), "another design answers: geometry")
        # a run that a reset breaks off, before every program
        for program in t._about["programs"]:
            for other in t._about["programs"]:
                begin(t, program)
                t.write(word["CTRL"], [2])
                call(t, other, 1)
                assert regs.status >> 2 & 1 == 0
        print("wrong calls and wrong traffic: refused or reported, and the next call right")


def begin(t: torusweave.Torus, program: Any) -> None:
    """Gives a program its words and starts it."""
    word = t.boards[0].word
    t.write(word["PROGRAM"], [program["number"], 0])
    takes = {"gossip": 1, "gather": 1, "broadcast": 1}.get(program["collective"], t.nodes) * program["words"]
    single = program["collective"] in ("broadcast", "scatter")
    t.write(word["HEAD"], [2 << 28 if single else SCATTER << 28 | takes])
    t.write(word["DATA"], list(range(takes * (1 if single else t.nodes))), fixed=True)
    t.write(word["HEAD"], [0])
    t.write(word["CTRL"], [1])


def call(t: torusweave.Torus, program: Any, root: int) -> None:
    nodes, words = t.nodes, program["words"]
    tail = (words,) if words > 1 else ()
    block = np.arange(nodes * words, dtype=np.uint32).reshape((nodes, *tail)) * 3 + 1
    rows = np.arange(nodes * nodes * words, dtype=np.uint32).reshape((nodes, nodes, *tail)) * 5 + 2
    message = np.arange(words, dtype=np.uint32) + 11
    answers = {
        "gossip": lambda: (t.allgather(block), block),
        "all-reduce": lambda: (t.allreduce(rows), rows.sum(0, dtype=np.uint32)),
        "reduce-scatter": lambda: (t.reduce_scatter(rows), rows.sum(0, dtype=np.uint32)),
        "exchange": lambda: (t.alltoall(rows), rows.swapaxes(0, 1)),
        "broadcast": lambda: (t.broadcast(message, root=root), np.stack([message] * nodes)),
        "scatter": lambda: (t.scatter(block, root=root), block),
        "gather": lambda: (t.gather(block, root=root), block),
    }
    got, wanted = answers[program["collective"]]()
    assert np.array_equal(got, wanted), program["collective"]


main(*sys.argv[1:])
