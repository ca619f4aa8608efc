"""``python -m devfix`` is the command ``devfix``."""

from devfix.cli import main

if __name__ == "__main__":
    main()
