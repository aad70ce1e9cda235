"""Errors of the package."""

from __future__ import annotations


class TorusError(Exception):
    """A call that is wrong, or a design that does not answer as it must."""


class NoRegister(TorusError, AttributeError):
    """A register that the design does not have."""


class ProgramError(TorusError, ValueError):
    """A program or values that `reference` cannot combine."""
