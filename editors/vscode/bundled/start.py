"""Runs the devfix that was packed with the extension, in any Python that it was packed for."""

import os
import sys

_PACKED = os.path.dirname(os.path.abspath(__file__))


def _folders():
    # What holds compiled code is packed once for each Python, all else once.
    own = "cp{}{}".format(*sys.version_info[:2])
    return [os.path.join(_PACKED, name) for name in (own, "any")]


def _main():
    missing = [folder for folder in _folders() if not os.path.isdir(folder)]
    if missing:
        version = "{}.{}".format(*sys.version_info[:2])
        sys.exit("the extension has no devfix for Python " + version)
    # The interpreter's own packages stay behind: they may be of other versions.
    sys.path[:1] = _folders()
    from devfix.cli import main

    main()


# Processes that the server starts read this file, too.
if __name__ == "__main__":
    _main()
