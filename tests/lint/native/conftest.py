"""What the tests of native rules share."""

from __future__ import annotations

import pytest
from support.wave_machine import Machine, compiler


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    found = compiler()
    if found is None:
        pytest.skip("no C++ compiler")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "wave-machine"
    folder.mkdir(exist_ok=True)
    return Machine(found, folder)
