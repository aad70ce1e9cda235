"""Calls that do not block: they are done one after the other on a thread of their own."""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from typing import Any, Callable, Deque, Generic, Optional, Tuple, TypeVar

from ._errors import TorusError

T = TypeVar("T")


class Pending(Generic[T]):
    """A call that was begun: `wait` gives its result, or raises its error."""

    def __init__(self) -> None:
        self._future: "Future[T]" = Future()

    def __repr__(self) -> str:
        return f"<{'finished' if self.done() else 'pending'} call>"

    def done(self) -> bool:
        """True once `wait` returns at once."""
        return self._future.done()

    def wait(self, timeout: Optional[float] = None) -> T:
        """The result, as soon as it is there. After `timeout` seconds it raises, and the call goes on."""
        try:
            return self._future.result(timeout)
        except NotDone as error:
            # a call raises errors of its own
            if self._future.done():
                raise
            raise TorusError(f"the call is not over after {timeout} s; it goes on, and may be waited for again") from error

    def _do(self, call: Callable[[], T]) -> None:
        try:
            self._future.set_result(call())
        except BaseException as error:
            self._future.set_exception(error)


class Worker:
    """Does calls in the order in which they were begun. Its thread ends when there are none."""

    def __init__(self) -> None:
        # a signal may come while it is held, and begin a call, too
        self._lock = threading.RLock()
        self._waiting: Deque[Tuple[Pending[Any], Callable[[], Any]]] = deque()
        self._thread: Optional[threading.Thread] = None
        self._process = os.getpid()

    def begin(self, call: Callable[[], T]) -> Pending[T]:
        """Begins a call as soon as those before it are over."""
        if os.getpid() != self._process:
            raise TorusError("the connection belongs to another process: connect anew after a fork")
        pending: Pending[T] = Pending()
        with self._lock:
            self._waiting.append((pending, call))
            # an interrupt may break this off: the next call begins the thread then
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="torusweave calls", daemon=True)
                self._thread.start()
        return pending

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                pending, call = self._waiting.popleft()
            pending._do(call)
            # nothing of a call is kept while the next one is awaited
            del pending, call
