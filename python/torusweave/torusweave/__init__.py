"""Collectives of a torusweave design: numpy arrays in, numpy arrays out.

    import numpy as np, torusweave

    with torusweave.connect("sim:generated/calls_4x4") as t:
        x = np.arange(256, dtype=np.uint32).reshape(16, 16)
        print(t.allreduce(x))

`reference(program, x)` combines values in software as a design does, to the same bits.
"""

from ._board import Board, Registers
from ._torus import Torus, connect
from ._errors import NoRegister, ProgramError, TorusError
from ._pending import Pending
from ._reference import reference

__all__ = ["Board", "NoRegister", "Pending", "ProgramError", "Registers", "Torus", "TorusError", "connect", "reference"]
