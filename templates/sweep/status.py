"""Says how a job of Slurm is: python3 status.py JOB."""

from __future__ import annotations

import subprocess
import sys

FAILED = {"BOOT_FAIL", "CANCELLED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}


def status(job: str) -> str:
    """Returns `success`, `failed` or `running`; a job that Slurm does not know yet runs."""
    asked = ["sacct", "--jobs", job, "--allocations", "--noheader", "--parsable2", "--format", "State"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    state = answer[0] if answer else "PENDING"
    if state == "COMPLETED":
        return "success"
    return "failed" if state in FAILED else "running"


if __name__ == "__main__":
    print(status(sys.argv[1]))
