"""The engine, in this process and without a protocol."""

from __future__ import annotations

import dataclasses
from typing import Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _agoge
from ._agoge import Board, Move


@dataclasses.dataclass(frozen=True)
class Score:
    """A score from the view of a side, at first the side to move: centipawns, or moves to mate."""

    cp: Optional[int]
    #: Positive if the side mates, negative if it is mated; 0 if one of them is mated already.
    mate: Optional[int]
    #: The side from whose view it is, ``True`` for White.
    turn: bool
    #: Whether the side has given mate; only if ``mate`` is 0.
    mate_given: bool = False

    def pov(self, color: bool) -> Score:
        """The score from the view of a colour."""
        if color == self.turn:
            return self
        if self.mate is not None:
            return Score(None, -self.mate, color, self.mate == 0 and not self.mate_given)
        return Score(-(self.cp or 0), None, color)

    def white(self) -> Score:
        """The score from White's view."""
        return self.pov(True)

    def black(self) -> Score:
        """The score from Black's view."""
        return self.pov(False)

    def __str__(self) -> str:
        if self.mate == 0:
            return "#+0" if self.mate_given else "#-0"
        return f"#{self.mate:+}" if self.mate is not None else f"{(self.cp or 0) / 100:+.2f}"


@dataclasses.dataclass(frozen=True)
class Info:
    """A line of a search."""

    #: The iteration, in plies.
    depth: int
    #: The greatest ply reached.
    seldepth: int
    #: The rank of the line, from 1.
    multipv: int
    score: Score
    #: ``"lower"`` or ``"upper"`` if the score is only a bound.
    bound: Optional[str]
    #: The chances of the side to move to win, draw and lose, in thousandths.
    wdl: Tuple[int, int, int]
    nodes: int
    #: Seconds since the start of the search.
    time: float
    #: Positions found in endgame tables.
    tbhits: int
    #: How full the hash table is, in thousandths.
    hashfull: int
    #: The principal variation.
    pv: List[Move]

    @classmethod
    def _of(cls, report: _agoge.Report) -> Info:
        return cls(
            report.depth,
            report.seldepth,
            report.multipv,
            Score(report.cp, report.mate, report.turn),
            report.bound,
            report.wdl,
            report.nodes,
            report.time,
            report.tbhits,
            report.hashfull,
            report.pv,
        )


@dataclasses.dataclass(frozen=True)
class PlayResult:
    """The move that the engine plays."""

    #: ``None`` only if there is no legal move.
    move: Optional[Move]
    #: The answer that it expects.
    ponder: Optional[Move]
    #: What the search found about the move.
    info: Optional[Info]


class Search:
    """A running search. It is an iterator over its lines as they are found, and a context manager that stops it."""

    def __init__(self, search: _agoge.Search):
        self._search = search

    def __iter__(self) -> Iterator[Info]:
        return self

    def __next__(self) -> Info:
        return Info._of(next(self._search))

    def stop(self) -> None:
        """Ends the search soon. May be called from any thread."""
        self._search.stop()

    def is_running(self) -> bool:
        """Whether the search has not ended yet."""
        return self._search.is_running

    def wait(self) -> PlayResult:
        """Waits for the end of the search. Ctrl-C stops it."""
        move, ponder = self._search.wait()
        lines = self.lines()
        return PlayResult(move, ponder, lines[0] if lines else None)

    def lines(self) -> List[Info]:
        """The lines found so far, the best one first."""
        return [Info._of(report) for report in self._search.lines()]

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._search.wait()


class Engine(_agoge.Engine):
    """The Agoge engine. It searches on threads of its own, so that other Python threads go on.

    ``threads`` is their number, ``hash`` the size of the hash table in MiB.

    Searches take the limits of python-chess as keyword arguments: ``depth`` in plies, ``nodes``, ``time`` in seconds,
    ``mate`` in moves; ``white_clock``, ``black_clock``, ``white_inc`` and ``black_inc`` in seconds, ``remaining_moves``
    to the next time control; and ``root_moves``, the only moves to consider. If one clock is missing, it shows the same
    as the other. The first limit that is reached ends the search; without limits it goes on until :meth:`stop`.

    >>> with Engine() as engine:
    ...     board = Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1")
    ...     [info] = engine.analyse(board, depth=4)
    ...     board.san(info.pv[0]), str(info.score)
    ('Qc8#', '#+1')
    """

    def configure(self, options: Mapping[str, Union[str, int, bool]]) -> None:
        """Sets options of UCI, such as ``{"Hash": 64, "Skill Level": 5}``.

        Raises ``ValueError`` if an option is unknown or does not take the value, ``OSError`` if a file cannot be used,
        ``MemoryError`` if there is not enough memory. The old value is kept, but usable files of endgame tables are loaded.
        """
        for name, value in options.items():
            self._set(name, str(value).lower() if isinstance(value, bool) else str(value))

    def start(self, board: Board, *, multipv: int = 1, **limits: object) -> Search:
        """Starts a search of the best ``multipv`` moves. If another one is running, it is stopped first."""
        return Search(self._start(board, limits, multipv))

    def analyse(self, board: Board, *, multipv: int = 1, **limits: object) -> List[Info]:
        """Searches to the end. Returns the best ``multipv`` lines, the best one first.

        Raises ``ValueError`` without a limit, since the search would not end.
        """
        _require(limits)
        search = self.start(board, multipv=multipv, **limits)
        search.wait()
        return search.lines()

    def play(self, board: Board, **limits: object) -> PlayResult:
        """Searches to the end. Returns the move to play.

        Raises ``ValueError`` without a limit, since the search would not end.
        """
        _require(limits)
        return self.start(board, **limits).wait()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


_ENDS: Sequence[str] = ("depth", "nodes", "time", "mate", "white_clock", "black_clock")


def _require(limits: Mapping[str, object]) -> None:
    """A search without an end would block its caller."""
    if all(limits.get(name) is None for name in _ENDS):
        raise ValueError(f"a search needs a limit: one of {', '.join(_ENDS)}")
