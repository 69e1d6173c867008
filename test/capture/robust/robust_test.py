#!/usr/bin/env python3
"""A program that omen watches behaves as it does natively, under all conditions, and the result can be read.

Every test runs a program of `programs/` twice, built by the plain compiler and by omen-cc, and compares exit code and output. Under
`omen record`, `omen stats` and `omen analyze` must then be able to read the trace. Under `omen run --online` there must be a report
without a race, since none of the programs has an unexpected one. If the watching ended early a message must say why.

Usage: robust_test.py OMEN OMEN-CC [--online] [unittest options]
OMEN_COMPILER=clang-19 (or another) is the underlying compiler; OMEN_LONG=1 runs the sizes of a real load.
"""

import sys
import unittest

sys.dont_write_bytecode = True
from robust import OMEN  # noqa: E402
from alone import *  # noqa: E402, F403
from alone_recorded import *  # noqa: E402, F403
from counters import *  # noqa: E402, F403
from ends import *  # noqa: E402, F403
from limits import *  # noqa: E402, F403
from load import *  # noqa: E402, F403
from pauses import *  # noqa: E402, F403
from space import *  # noqa: E402, F403
from starts import *  # noqa: E402, F403
from surroundings import *  # noqa: E402, F403

if __name__ == "__main__":
    if not OMEN:
        sys.exit(__doc__)
    unittest.main(argv=[sys.argv[0], *(word for word in sys.argv[3:] if word != "--online")])
