"""`python -m clgp` is the command `clgp`."""

import sys

from clgp.cli import main

sys.exit(main())
