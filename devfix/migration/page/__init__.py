"""Page: a campaign as one HTML file that needs nothing else."""

from devfix.migration.page.document import render

__all__ = ["render"]
