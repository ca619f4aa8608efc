"""Notebooks: the code cells of an ``.ipynb`` file as one program text, and back again to the byte."""

from devfix.notebooks.layout import CellPlace, Layout
from devfix.notebooks.notebook import Notebook, NotebookError, OtherLanguageError
from devfix.notebooks.piece import SeparationError

__all__ = ["CellPlace", "Layout", "Notebook", "NotebookError", "OtherLanguageError", "SeparationError"]
