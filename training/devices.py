"""Where torch computes, and how exactly."""

from __future__ import annotations

import torch

from ..envs.errors import OptionError


def choose_device(wanted: str) -> torch.device:
    """Return the device that a word names: ``cpu``, ``cuda``, or ``auto`` for a GPU where there is one.

    Raises:
        OptionError: for ``cuda`` where torch finds none.
    """
    there = torch.cuda.is_available()
    if wanted == "cuda" and not there:
        raise OptionError("--device cuda: torch finds no GPU here; use --device cpu or auto")
    return torch.device("cuda" if there and wanted != "cpu" else "cpu")


def choose_precision(wanted: str, device: torch.device) -> torch.dtype:
    """Return what a training step computes with: as told, or bfloat16 on a GPU that has it and float32 elsewhere."""
    if wanted == "auto":
        quick = device.type == "cuda" and torch.cuda.is_bf16_supported()
        return torch.bfloat16 if quick else torch.float32
    return torch.bfloat16 if wanted == "bfloat16" else torch.float32
