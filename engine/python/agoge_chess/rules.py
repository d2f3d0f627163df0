"""Names of squares and colours, and how games end."""

from __future__ import annotations

import dataclasses
from typing import Optional

from ._agoge import Board

WHITE = True
BLACK = False

SQUARE_NAMES = [file + rank for rank in "12345678" for file in "abcdefgh"]


def square_name(square: int) -> str:
    """The name of a square: ``a1`` for 0, ``h8`` for 63."""
    return SQUARE_NAMES[square]


def parse_square(name: str) -> int:
    """The number of a square, from 0 to 63.

    Raises ``ValueError`` if there is no such square.
    """
    return SQUARE_NAMES.index(name)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    #: ``checkmate``, ``stalemate``, ``threefold repetition``, ``fifty-move rule`` or ``dead position``.
    termination: str
    #: ``WHITE`` or ``BLACK``, or ``None`` in a draw.
    winner: Optional[bool]

    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``."""
        return {WHITE: "1-0", BLACK: "0-1", None: "1/2-1/2"}[self.winner]


def outcome(board: Board) -> Optional[Outcome]:
    """The outcome of the game on a board, or ``None`` if it goes on. Draws by repetition and by the fifty-move rule need
    no claim. Mate takes precedence."""
    end = board._outcome()
    return None if end is None else Outcome(*end)
