"""Endgame tables."""

from __future__ import annotations

import dataclasses
import os
from typing import Optional, Union

from . import _agoge
from ._agoge import Board


@dataclasses.dataclass(frozen=True)
class TableValue:
    """The exact value of a position for the side to move."""

    #: ``win``, ``cursed win`` (drawn by the fifty-move rule), ``draw``, ``blessed loss`` or ``loss``.
    result: str
    #: Plies to mate with best play, without the fifty-move rule; 0 in draws, ``None`` if unknown.
    dtm: Optional[int]
    #: Plies to the next capture, pawn move or hoplite move; 0 in draws, ``None`` if unknown.
    dtz: Optional[int]


class Tables(_agoge.Tables):
    """The embedded table of all positions of three men, and the files of a folder or of several, separated as in the
    environment variable ``PATH``. The command ``agoge tables`` makes such files.

    ``problems`` says which files cannot be used; the others are used.

    >>> Tables().probe(Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"))
    TableValue(result='win', dtm=1, dtz=None)
    """

    def __new__(cls, path: Union[str, os.PathLike[str], None] = None) -> Tables:
        return super().__new__(cls, None if path is None else os.fspath(path))

    def probe(self, board: Board) -> Optional[TableValue]:
        """The value of a position at its halfmove clock, or ``None`` if the tables do not tell it: the embedded table
        does not if the fifty-move rule may come before mate."""
        found = self._probe(board)
        return None if found is None else TableValue(*found)
