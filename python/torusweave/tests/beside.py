"""The package beside the scripts, wherever another one is installed, and a check of what it refuses."""

import sys
from pathlib import Path
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from torusweave import TorusError  # noqa: E402


def refused(call: Callable[[], Any], *words: str) -> str:
    """Text of the error of a call that is refused, with all of these words in it."""
    try:
        result = call()
    except TorusError as error:
        said = str(error)
        assert said.strip() and all(word in said for word in words), f"{said}: not all words of {words}"
        return said
    raise AssertionError(f"not refused: {result}")
