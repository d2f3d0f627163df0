"""A board for the engine module of python-chess, which has no board for Spartan Chess.

    import chess.engine
    from agoge_chess.python_chess import SpartanBoard

    with chess.engine.SimpleEngine.popen_uci("agoge") as engine:
        board = SpartanBoard()
        board.push(engine.play(board, chess.engine.Limit(time=0.1)).move)

Any UCI engine that plays Spartan Chess will do. Needs the package ``chess``.
"""

from __future__ import annotations

from typing import Iterator, List, Optional

import chess

from . import rules
from ._agoge import Board, Move


class SpartanBoard(chess.Board):
    """A board of Spartan Chess with the parts of ``chess.Board`` that ``chess.engine`` uses. Moves are those of
    :class:`agoge_chess.Move`, since python-chess has no Spartan promotions."""

    uci_variant = "spartan"
    starting_fen = Board().fen()

    def __init__(self, fen: Optional[str] = None):
        # The constructor of chess.Board clears the moves.
        self.spartan = Board(fen)
        super().__init__(None)
        self.turn = self.spartan.turn

    def set_board(self, board: Board) -> None:
        """Takes over a board of this package, with its moves."""
        self.spartan = board
        self.turn = board.turn

    @property
    def move_stack(self) -> List[Move]:  # type: ignore[override]
        return self.spartan.move_stack

    @move_stack.setter
    def move_stack(self, _: object) -> None:
        # chess.Board sets an empty list; the moves are those of `spartan`.
        pass

    @property
    def legal_moves(self) -> Iterator[Move]:  # type: ignore[override]
        return iter(self.spartan.legal_moves)

    def fen(self, **_: object) -> str:
        return self.spartan.fen()

    def root(self) -> SpartanBoard:
        return self._with(self.spartan.root())

    def copy(self, *, stack: object = True) -> SpartanBoard:
        return self._with(self.spartan.copy(stack=bool(stack)))

    def _with(self, board: Board) -> SpartanBoard:
        copy = type(self)()
        copy.set_board(board)
        return copy

    def parse_uci(self, uci: str) -> Move:  # type: ignore[override]
        try:
            return self.spartan.parse_uci(uci)
        except ValueError as error:
            raise chess.IllegalMoveError(str(error)) from None

    def parse_san(self, san: str) -> Move:  # type: ignore[override]
        try:
            return self.spartan.parse_san(san)
        except ValueError as error:
            raise chess.IllegalMoveError(str(error)) from None

    def san(self, move: Move) -> str:  # type: ignore[override]
        return self.spartan.san(move)

    def is_legal(self, move: Move) -> bool:  # type: ignore[override]
        return self.spartan.is_legal(move)

    def push(self, move: Move) -> None:  # type: ignore[override]
        self.spartan.push(move)
        self.turn = self.spartan.turn

    def push_uci(self, uci: str) -> Move:  # type: ignore[override]
        move = self.parse_uci(uci)
        self.push(move)
        return move

    def push_san(self, san: str) -> Move:  # type: ignore[override]
        move = self.parse_san(san)
        self.push(move)
        return move

    def pop(self) -> Move:  # type: ignore[override]
        move = self.spartan.pop()
        self.turn = self.spartan.turn
        return move

    def is_game_over(self, **_: object) -> bool:
        return self.spartan.is_game_over()

    def outcome(self, **_: object) -> Optional[rules.Outcome]:  # type: ignore[override]
        return rules.outcome(self.spartan)

    def result(self, **_: object) -> str:
        return self.spartan.result()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpartanBoard) and self.spartan == other.spartan

    __hash__ = None  # type: ignore[assignment]
