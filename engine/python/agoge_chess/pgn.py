"""Reading and writing of PGN.

Damage costs at most the rest of its own game: see :attr:`Game.warnings`.

>>> game, = read("[White \\"Leonidas\\"]\\n\\n1. e4 {the usual move} Hbd5 *")
>>> game.headers["White"], [node.san for node in game.nodes], game.nodes[0].comments
('Leonidas', ['e4', 'Hbd5'], ['the usual move'])
"""

from __future__ import annotations

import dataclasses
import os
from typing import Dict, List, Optional, Union

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
        tags.update(headers or {})
        start = board.root()
        result = tags.setdefault("Result", board.result())
        tags.setdefault("Variant", board.variant)
        if start != Board(variant=board.variant):
            tags.update({"SetUp": "1", "FEN": start.fen()})
        return cls(tags, start, [Node(move) for move in board.move_stack], result=result)

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

    def __str__(self) -> str:
        """The game as PGN."""
        nodes = [(node.move, (node.comments, node.nags, node.variations)) for node in self.nodes]
        before = (self.comments, [], [])
        return _agoge.write_game(list(self.headers.items()), self.start, nodes, before, self.result)


def read(text: Union[str, bytes], variant: Optional[str] = None) -> List[Game]:
    """Reads all games of a text. The variant of a game is that of its tag ``Variant``, else ``variant``, else the one in
    which its moves are legal."""
    data = text.encode() if isinstance(text, str) else text
    games = []
    for tags, start, nodes, before, result, warnings in _agoge.read_games(data, variant):
        moves = [Node(move, san, *remarks) for move, san, remarks in nodes]
        games.append(Game(dict(tags), start, moves, before[0], result, warnings))
    return games


def load(path: Union[str, os.PathLike[str]], variant: Optional[str] = None) -> List[Game]:
    """Reads all games of a file, as :func:`read` does.

    Raises ``OSError`` if the file cannot be read.
    """
    with open(path, "rb") as file:
        return read(file.read(), variant)
