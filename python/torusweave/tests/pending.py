"""Calls that do not block: their results are those of calls that do, whatever happens meanwhile.

usage: pending.py WHERE CALLS [FOLDER]
"""

import os
import signal
import sys
import threading
import time
from typing import Optional

import numpy as np

from beside import refused

import torusweave
from torusweave import TorusError


def main(where: str, calls: str, folder: Optional[str] = None) -> None:
    # also where it is ignored, as in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(9)
    t = torusweave.connect(where, folder, timeout=30)
    block = next(one["words"] for one in t._about["programs"] if one["collective"] == "gossip")
    shape = (t.nodes, block) if block > 1 else (t.nodes,)
    dtype = np.dtype(f"u{t.width // 8}")
    right = 0
    # many at once, among calls that block; the arrays are overwritten while they wait
    begun = []
    for _ in range(int(calls)):
        x = rng.integers(0, 1 << t.width, shape, dtype=dtype)
        begun.append((t.allgather_async(x), x.copy()))
        x[...] = 0
        row = rng.integers(0, 1 << t.width, (t.nodes, *shape), dtype=dtype)
        begun.append((t.alltoall_async(row), row.swapaxes(0, 1).copy()))
        row[...] = 0
        if len(begun) % 6 == 0:
            x = rng.integers(0, 1 << t.width, shape, dtype=dtype)
            assert np.array_equal(t.allgather(x), x)
            right += 1
    assert "pending" in repr(begun[-1][0]) or begun[-1][0].done()
    for pending, wanted in reversed(begun):
        assert np.array_equal(pending.wait(), wanted)
        assert pending.done() and np.array_equal(pending.wait(1), wanted), "a result is given twice"
        right += 1
    assert repr(begun[0][0]) == "<finished call>"
    # begun by several threads
    results = []

    def begins(seed: int) -> None:
        own = np.random.default_rng(seed)
        for _ in range(4):
            x = own.integers(0, 1 << t.width, shape, dtype=dtype)
            results.append((t.allgather_async(x), x))

    threads = [threading.Thread(target=begins, args=(seed,)) for seed in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for pending, wanted in results:
        assert np.array_equal(pending.wait(), wanted)
        right += 1
    # a wrong call harms no other one
    x = rng.integers(0, 1 << t.width, shape, dtype=dtype)
    before, wrong, after = t.allgather_async(x), t.allgather_async(x[1:]), t.allgather_async(x)
    refused(wrong.wait, "is not supported: gossip takes")
    assert np.array_equal(before.wait(), x) and np.array_equal(after.wait(), x)
    refused(lambda: t.allgather_async(threading.Lock()), "x: cannot be copied")
    refused(t.broadcast_async(x, root=t.nodes).wait, "root: ")
    # an interrupt, and a wait that is too short, leave a call as it is
    several = [t.allgather_async(x) for _ in range(20)]
    refused(lambda: several[-1].wait(0), "not over after 0 s")
    timer = threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        several[-1].wait()
        time.sleep(10)
        raise AssertionError("no interrupt")
    except KeyboardInterrupt:
        pass
    for pending in several:
        assert np.array_equal(pending.wait(), x)
        right += 1
    # the thread ends with the last call, and a later one begins another
    until = time.monotonic() + 10
    while any(thread.name == "torusweave calls" for thread in threading.enumerate()):
        assert time.monotonic() < until, "the thread of calls does not end"
        time.sleep(0.01)
    assert np.array_equal(t.allgather_async(x).wait(), x)
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            try:
                refused(lambda: t.allgather_async(x), "belongs to another process")
                os._exit(0)
            except BaseException:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0, "a child begins a call"
    # a call that waits when the connection is closed is told so, and the one under way ends
    last = [t.allgather_async(x) for _ in range(50)]
    t.close()
    ended = []
    for pending in last:
        try:
            assert np.array_equal(pending.wait(60), x)
            ended.append(True)
        except TorusError as error:
            assert "the connection is closed" in str(error), error
            ended.append(False)
    assert ended == sorted(ended, reverse=True), "a later call was done, and an earlier one was not"
    refused(t.allgather_async(x).wait, "the connection is closed")
    # nobody waits for it, and the script ends all the same
    other = torusweave.connect(where, folder)
    other.allgather_async(x)
    print(f"{right} calls right")


if __name__ == "__main__":
    main(*sys.argv[1:])
