"""Reading and writing of PGN.

Damage costs at most the rest of its own game: see :attr:`Game.warnings`.

>>> game, = read("[White \\"Leonidas\\"]\\n\\n1. e4 {the usual move} Hbd5 *")
>>> game.headers["White"], [node.san for node in game.nodes], game.nodes[0].comments
('Leonidas', ['e4', 'Hbd5'], ['the usual move'])
"""

from __future__ import annotations

import dataclasses
import io
import os
from typing import IO, Dict, Iterator, List, Optional, Union

from . import _agoge
from ._agoge import Board, Move


@dataclasses.dataclass
class Node:
    """A move of a game with its remarks."""

    move: Move
    #: The move in standard algebraic notation; not needed for writing.
    san: str = ""
    comments: List[str] = dataclasses.field(default_factory=list)
    #: Numeric annotation glyphs: 1 for ``!``, 2 for ``?``, ...
    nags: List[int] = dataclasses.field(default_factory=list)
    #: The variations as text, without their parentheses.
    variations: List[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Game:
    """A game."""

    headers: Dict[str, str] = dataclasses.field(default_factory=dict)
    #: The first position.
    start: Board = dataclasses.field(default_factory=Board)
    nodes: List[Node] = dataclasses.field(default_factory=list)
    #: Comments before the first move.
    comments: List[str] = dataclasses.field(default_factory=list)
    result: str = "*"
    #: What is damaged, with lines.
    warnings: List[str] = dataclasses.field(default_factory=list)

    @classmethod
    def from_board(cls, board: Board, headers: Optional[Dict[str, str]] = None) -> Game:
        """The game that was played on a board."""
        tags = {name: "?" for name in ("Event", "Site", "Date", "Round", "White", "Black")}
        tags["Date"] = "????.??.??"
        tags.update(headers or {})
        start = board.root()
        result = tags.setdefault("Result", board.result())
        tags.setdefault("Variant", board.variant)
        game = cls(tags, start, [Node(move) for move in board.move_stack], result=result)
        game.headers = game._tags()
        return game

    def board(self) -> Board:
        """The first position."""
        return self.start.copy()

    def end(self) -> Board:
        """The last position, with the moves before it."""
        board = self.board()
        for node in self.nodes:
            board.push(node.move)
        return board

    def mainline_moves(self) -> List[Move]:
        """The moves without remarks."""
        return [node.move for node in self.nodes]

    def _tags(self) -> Dict[str, str]:
        tags = {**self.headers, "Result": self.result}
        start = self.start
        named = _variant_of(tags.get("Variant", ""))
        if named != start.variant and (named or start.variant == "spartan"):
            tags["Variant"] = start.variant
        if start == Board(variant=start.variant):
            tags.pop("SetUp", None)
            tags.pop("FEN", None)
        elif not _is_position(tags.get("FEN"), start):
            tags.update({"SetUp": "1", "FEN": start.fen()})
        return tags

    def __str__(self) -> str:
        """The game as PGN, with ``)`` for ``}`` in comments.

        The tags of the variant, the first position and the result are those of :attr:`start` and :attr:`result`.
        Raises ``ValueError`` for what could not be read again: an illegal move, a tag without a usual name, an unknown
        result, a NAG above 255, and a variation with unbalanced parentheses or braces.
        """
        nodes = [(node.move, (node.comments, node.nags, node.variations)) for node in self.nodes]
        before = (self.comments, [], [])
        return _agoge.write_game(list(self._tags().items()), self.start, nodes, before, self.result)


def _variant_of(tag: str) -> Optional[str]:
    """The variant of a tag: ``other`` if it is none of ours, ``None`` if the tag says nothing."""
    try:
        return _agoge.variant_of_tag(tag)
    except ValueError:
        return "other"


def _is_position(fen: Optional[str], board: Board) -> bool:
    try:
        return fen is not None and Board(fen, variant=board.variant) == board
    except ValueError:
        return False


def read_games(source: Union[str, os.PathLike[str], IO[bytes], IO[str]], variant: Optional[str] = None) -> Iterator[Game]:
    """Reads the games of a file one after the other, in little memory whatever its size.

    ``source`` is a path, or a file that is open for reading. The variant of a game is that of its tag ``Variant``, else
    ``variant``, else the one in which its moves are legal. Games are read up to their damage: see :attr:`Game.warnings`.
    Raises ``OSError`` if the file cannot be read.
    """
    if hasattr(source, "read"):
        yield from _games_of(source, variant)
    else:
        with open(source, "rb") as file:
            yield from _games_of(file, variant)


def _games_of(file: Union[IO[bytes], IO[str]], variant: Optional[str]) -> Iterator[Game]:
    waiting = b""
    size = 1 << 18
    place = {"line": 1, "cut": False, "more": True}
    while place["more"]:
        part = file.read(size)
        place["more"] = bool(part)
        waiting += part.encode(errors="surrogateescape") if isinstance(part, str) else part
        games, end, place["cut"] = _agoge.read_part(waiting, place, variant)
        # A long game is not read again for every part of it.
        size = max(1 << 18, len(waiting) - end)
        place["line"] += _agoge.line_ends(waiting[:end])
        waiting = waiting[end:]
        for tags, start, nodes, before, result, warnings in games:
            moves = [Node(move, san, *remarks) for move, san, remarks in nodes]
            yield Game(dict(tags), start, moves, before[0], result, warnings)


def read(text: Union[str, bytes], variant: Optional[str] = None) -> List[Game]:
    """Reads all games of a text, as :func:`read_games` does."""
    return list(_games_of(io.StringIO(text, newline="") if isinstance(text, str) else io.BytesIO(text), variant))


def load(path: Union[str, os.PathLike[str]], variant: Optional[str] = None) -> List[Game]:
    """Reads all games of a file, as :func:`read_games` does. Raises ``OSError`` if the file cannot be read."""
    return list(read_games(path, variant))
