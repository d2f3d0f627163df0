"""A board for the engine module of python-chess, which has no board for Spartan Chess.

    import chess.engine
    from agoge_chess.python_chess import SpartanBoard

    with chess.engine.SimpleEngine.popen_uci("agoge") as engine:
        board = SpartanBoard()
        board.push(engine.play(board, chess.engine.Limit(time=0.1)).move)

Any UCI engine that plays Spartan Chess will do. Needs the package ``chess``.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, List, Optional

import chess

from . import rules
from ._agoge import Board, Move


class LegalMoves(List[Move]):
    """The legal moves of a board, with the interface of those of python-chess."""

    def count(self) -> int:  # type: ignore[override]
        return len(self)


def _of_spartan(name: str) -> property:
    """An attribute of ``SpartanBoard.spartan``. What the constructor of ``chess.Board`` sets is ignored."""
    return property(lambda self: getattr(self.spartan, name), lambda self, value: None)


class SpartanBoard(chess.Board):
    """A board of Spartan Chess with the parts of ``chess.Board`` that ``chess.engine`` and its users need. Moves are those
    of :class:`agoge_chess.Move`, since python-chess has no Spartan promotions; ``spartan`` is the board of this package.
    Other methods raise ``NotImplementedError``."""

    uci_variant = "spartan"
    starting_fen = Board().fen()
    turn = _of_spartan("turn")
    move_stack = _of_spartan("move_stack")
    halfmove_clock = _of_spartan("halfmove_clock")
    fullmove_number = _of_spartan("fullmove_number")

    def __init__(self, fen: Optional[str] = None):
        self.spartan = Board(fen)
        super().__init__(None)

    def set_board(self, board: Board) -> None:
        """Takes over a board of this package, with its moves."""
        self.spartan = board

    @property
    def legal_moves(self) -> LegalMoves:  # type: ignore[override]
        return LegalMoves(self.spartan.legal_moves)

    def ply(self) -> int:
        return self.spartan.ply()

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

    def is_capture(self, move: Move) -> bool:  # type: ignore[override]
        return self.spartan.is_capture(move)

    def gives_check(self, move: Move) -> bool:  # type: ignore[override]
        return self.spartan.gives_check(move)

    def variation_san(self, variation: List[Move]) -> str:  # type: ignore[override]
        return self.spartan.variation_san(variation)

    def push(self, move: Move) -> None:  # type: ignore[override]
        self.spartan.push(move)

    def push_uci(self, uci: str) -> Move:  # type: ignore[override]
        move = self.parse_uci(uci)
        self.push(move)
        return move

    def push_san(self, san: str) -> Move:  # type: ignore[override]
        move = self.parse_san(san)
        self.push(move)
        return move

    def pop(self) -> Move:  # type: ignore[override]
        return self.spartan.pop()

    def peek(self) -> Move:  # type: ignore[override]
        return self.spartan.peek()

    def is_check(self) -> bool:
        return self.spartan.is_check()

    def is_checkmate(self) -> bool:
        return self.spartan.is_checkmate()

    def is_stalemate(self) -> bool:
        return self.spartan.is_stalemate()

    def is_insufficient_material(self) -> bool:
        return self.spartan.is_insufficient_material()

    def is_fifty_moves(self) -> bool:
        return self.spartan.is_fifty_moves()

    def is_repetition(self, count: int = 3) -> bool:
        return self.spartan.is_repetition(count)

    def is_game_over(self, **_: object) -> bool:
        return self.spartan.is_game_over()

    def outcome(self, **_: object) -> Optional[rules.Outcome]:  # type: ignore[override]
        return rules.outcome(self.spartan)

    def result(self, **_: object) -> str:
        return self.spartan.result()

    def __str__(self) -> str:
        return str(self.spartan)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fen()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpartanBoard) and self.spartan == other.spartan

    __hash__ = None  # type: ignore[assignment]


def _missing(name: str) -> Callable[..., Any]:
    def missing(*_: object, **__: object) -> Any:
        raise NotImplementedError(f"SpartanBoard.{name}: see agoge_chess.Board")

    return missing


# What is inherited would answer for an empty board. The constructor of chess.Board needs these three.
_KEPT = {"clear", "clear_board", "clear_stack", *vars(SpartanBoard)}
for _name, _ in inspect.getmembers(chess.Board, inspect.isroutine):
    if _name not in _KEPT and not _name.startswith("_"):
        setattr(SpartanBoard, _name, _missing(_name))
