"""What Lithium calls for a verdict: hands the candidate, its last argument, to the program named in $COUNTER."""

import os
import subprocess


def interesting(arguments, _prefix):
    return subprocess.run([os.environ["COUNTER"], arguments[-1]], check=False).returncode == 0
