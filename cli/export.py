"""`sekisho export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from ..agents.network_names import path_of
from ..agents.networks.files import read_network
from ..agents.networks.forward import has_onnx
from ..envs.errors import OptionError, RunError, nearest
from ..envs.files import write_bytes_atomically
from .common import Flag, path_from_words, print_json

_FORMATS = ("onnx",)


@dataclass
class Command:
    """Write a network in the form of other programs: ONNX, with its inputs and outputs described in docs/networks.md."""

    checkpoint: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="CHECKPOINT")]
    """name of a network that ships, or path of a file"""
    format: str = "onnx"
    """onnx"""
    output: Annotated[str | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="(default: NAME.onnx)")] = None
    """file to write; one that is no ONNX model is not replaced"""
    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Write and say what was written."""
        if self.format not in _FORMATS:
            raise OptionError(f"--format {self.format!r}: {nearest(self.format, _FORMATS)}")
        source = path_of(self.checkpoint, "CHECKPOINT")
        output = path_from_words("--output", self.output) or Path(f"{source.stem}.onnx")
        if output.exists() and not (output.is_file() and output.suffix == ".onnx"):
            raise OptionError(f"{output} exists and is no ONNX model; name another file")
        try:
            network = read_network(source)
        except OSError as error:
            raise OptionError(f"cannot read {source}: {error.strerror or error}") from error
        if not has_onnx():
            raise RunError("export needs packages that are not installed: `pip install 'sekisho[onnx]'`")
        from ..agents.networks.onnx_graph import OPSET, model_of

        content = model_of(network).SerializeToString()
        try:
            write_bytes_atomically(output, content)
        except OSError as error:
            raise RunError(f"cannot write {output}: {error.strerror or error}") from error
        if self.json:
            print_json({"game": network.game, "file": str(output), "bytes": len(content), "opset": OPSET})
            return
        print(
            f"wrote {output}: {network.game}, {len(content):,} bytes, opset {OPSET}; inputs observations and masks, "
            "outputs log_policy and values"
        )
