"""`sekisho doctor`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..arena.health import BROKEN, examine, report, versions
from ..envs.errors import RunError
from .common import Flag, print_json


@dataclass
class Command:
    """Check the installation and say what to do; exit status 1 when something that is needed is broken."""

    json: Flag = False
    """print one JSON document"""

    def run(self) -> None:
        """Look, and print what was found."""
        checks = examine()
        broken = [check.name for check in checks if check.status == BROKEN]
        if self.json:
            print_json({"ok": not broken, "versions": versions(), "checks": [asdict(check) for check in checks]})
        else:
            print(report(checks))
        if broken:
            raise RunError(f"broken: {', '.join(broken)}")
