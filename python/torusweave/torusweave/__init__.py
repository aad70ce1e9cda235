"""Collectives of a torusweave design: numpy arrays in, numpy arrays out.

    import numpy as np, torusweave

    with torusweave.connect("sim:generated/calls_4x4") as t:
        x = np.arange(256, dtype=np.uint32).reshape(16, 16)
        print(t.allreduce(x))

`design("x.yaml").check()` and `.draw()` tell of a config, also in a notebook. `reference(program, x)` combines values in software as a design does, to the same bits.
"""

from ._board import Board, Registers
from ._torus import Torus, connect
from ._design import Design, Picture, Report, design
from ._errors import NoRegister, ProgramError, TorusError
from ._pending import Pending
from ._reference import reference

__all__ = [
    "Board",
    "Design",
    "NoRegister",
    "Pending",
    "Picture",
    "ProgramError",
    "Registers",
    "Report",
    "Torus",
    "TorusError",
    "connect",
    "design",
    "reference",
]
__version__ = "0.1.0"
