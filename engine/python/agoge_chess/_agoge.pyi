"""The native part of the package."""

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, final

_Remarks = Tuple[List[str], List[int], List[str]]

@final
class Move:
    """A move without its board: two squares from 0 (a1) to 63 (h8), and the letter of a promotion. Castling is the move
    of the king. Moves are equal if these are, and can be keys."""

    def __init__(self, from_square: int, to_square: int, promotion: Optional[str] = None) -> None:
        """Raises ``ValueError`` if a square or the piece does not exist, or both squares are the same."""
    @staticmethod
    def from_uci(uci: str) -> Move:
        """Reads coordinate notation, such as ``e2e4`` or ``e2e1k``. Raises ``ValueError`` if it is not that."""
    def uci(self) -> str:
        """The move in coordinate notation."""
    @property
    def from_square(self) -> int: ...
    @property
    def to_square(self) -> int: ...
    @property
    def promotion(self) -> Optional[str]:
        """The lower-case letter of the piece that a pawn or hoplite becomes."""
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

class Board:
    """A position of Spartan Chess (``"spartan"``) or orthodox chess (``"chess"``) with the moves that led to it.

    Colours are ``True`` for White, the Persians, and ``False`` for Black, the Spartans. Pieces are letters as in FEN:
    ``KQRBNP`` and ``kgwclh``.
    """

    def __init__(self, fen: Optional[str] = None, variant: str = "spartan") -> None:
        """The position of a FEN, or the initial one. Raises ``ValueError`` if the FEN is not a position of the variant,
        or all kings of the side not to move are attacked."""
    def __copy__(self) -> Board: ...
    def __deepcopy__(self, memo: Dict[int, Any]) -> Board: ...
    def __eq__(self, other: object) -> bool:
        """Whether position, side to move, rights and counters are the same; earlier moves do not count."""
    @property
    def variant(self) -> str: ...
    @property
    def uci_variant(self) -> str: ...
    @property
    def turn(self) -> bool:
        """The side to move."""
    @property
    def halfmove_clock(self) -> int:
        """The plies since the last capture, pawn move or hoplite move."""
    @property
    def fullmove_number(self) -> int: ...
    @property
    def castling_rights(self) -> str:
        """As in FEN: ``KQ``, ``-``, ..."""
    @property
    def ep_square(self) -> Optional[int]:
        """The square on which a pawn can capture en passant; never in Spartan Chess."""
    @property
    def move_stack(self) -> List[Move]:
        """The moves that were made, the last one last. A new list each time."""
    @property
    def legal_moves(self) -> List[Move]:
        """A new list each time."""
    def fen(self) -> str: ...
    def ply(self) -> int:
        """The plies from move 1 of White to the position, by the number of the move."""
    def piece_at(self, square: int) -> Optional[str]:
        """Raises ``ValueError`` if there is no such square."""
    def piece_map(self) -> Dict[int, str]:
        """The pieces by square."""
    def kings(self, color: bool) -> List[int]:
        """The squares of the kings of a colour: one, or two of the Spartans."""
    def attacked_kings(self) -> List[int]:
        """The squares of the kings of the side to move that are attacked. With two kings, one may stay attacked."""
    def is_legal(self, move: Move) -> bool: ...
    def is_capture(self, move: Move) -> bool:
        """Raises ``ValueError`` if the move is illegal, as all methods with a move do."""
    def gives_check(self, move: Move) -> bool:
        """Whether all kings of the opponent are attacked after a move."""
    def parse_uci(self, uci: str) -> Move:
        """A legal move in coordinate notation. Raises ``ValueError`` if it is not legal."""
    def parse_san(self, san: str) -> Move:
        """A legal move in algebraic notation, such as ``Hbd5`` or ``O-O``; also long forms and hoplites without their
        letter. Raises ``ValueError`` if it is not a legal move or not the only one."""
    def san(self, move: Move) -> str:
        """A legal move in standard algebraic notation."""
    def variation_san(self, variation: Sequence[Move]) -> str:
        """Legal moves in algebraic notation with their numbers."""
    def push(self, move: Move) -> None:
        """Makes a legal move. Raises ``ValueError`` if it is illegal, and changes nothing then."""
    def push_uci(self, uci: str) -> Move: ...
    def push_san(self, san: str) -> Move: ...
    def pop(self) -> Move:
        """Takes the last move back, in a time that grows with the moves before it. Raises ``IndexError`` if there is
        none."""
    def peek(self) -> Move:
        """The last move. Raises ``IndexError`` if there is none."""
    def is_check(self) -> bool:
        """Whether all kings of the side to move are attacked: check, or duple-check."""
    def is_checkmate(self) -> bool: ...
    def is_stalemate(self) -> bool: ...
    def is_insufficient_material(self) -> bool:
        """Whether the position is dead: neither side can mate."""
    def is_fifty_moves(self) -> bool:
        """Whether the game is drawn by the fifty-move rule."""
    def is_repetition(self, count: int = 3) -> bool:
        """Whether the position occurs for the ``count``-th time."""
    def is_game_over(self) -> bool: ...
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2`` or ``*``."""
    def perft(self, depth: int) -> int:
        """The number of leaves of the tree of legal moves. Releases the interpreter lock. Raises ``ValueError`` unless the
        depth is from 0 to 100."""
    def evaluate(self) -> int:
        """The static evaluation of the engine in centipawns from the side to move's view, without search."""
    def copy(self, *, stack: bool = True) -> Board:
        """A copy, with the moves unless ``stack`` is false."""
    def root(self) -> Board:
        """The first position."""
    def _outcome(self) -> Optional[Tuple[str, Optional[bool]]]: ...
    @staticmethod
    def _restore(fen: str, variant: str, moves: List[str]) -> Board: ...

@final
class Report:
    depth: int
    seldepth: int
    multipv: int
    cp: Optional[int]
    mate: Optional[int]
    turn: bool
    bound: Optional[str]
    wdl: Tuple[int, int, int]
    nodes: int
    time: float
    tbhits: int
    hashfull: int
    pv: List[Move]

@final
class Search:
    is_running: bool
    def stop(self) -> None: ...
    def __iter__(self) -> Search: ...
    def __next__(self) -> Report: ...
    def wait(self) -> Tuple[Optional[Move], Optional[Move]]: ...
    def lines(self) -> List[Report]: ...

class Engine:
    def __init__(self, *, threads: int = 1, hash: int = 16) -> None:
        """Raises ``ValueError`` if a number is out of range, ``MemoryError`` if there is not enough memory."""
    def new_game(self) -> None:
        """Forgets what earlier searches found."""
    def stop(self) -> None:
        """Ends the running search soon. May be called from any thread."""
    def _set(self, name: str, value: str) -> None: ...
    def _start(self, board: Board, limits: Mapping[str, object], multipv: int) -> Search: ...

class Tables:
    def __new__(cls, path: Optional[str] = None) -> Tables: ...
    @property
    def problems(self) -> List[str]:
        """Files and folders that cannot be used, and why."""
    @property
    def max_men(self) -> int:
        """The greatest number of men of a known position."""
    def __bool__(self) -> bool:
        """Always true: the embedded table is always there."""
    def __len__(self) -> int:
        """The number of files in use."""
    def best_moves(self, board: Board) -> Optional[List[Move]]:
        """The moves that keep the result and lead to it best: the fastest wins, the slowest losses, or all draws.
        ``None`` if the tables lack a position after a move."""
    def _probe(self, board: Board) -> Optional[Tuple[str, Optional[int], Optional[int]]]: ...

_Game = Tuple[List[Tuple[str, str]], Board, List[Tuple[Move, str, _Remarks]], _Remarks, str, List[str]]

def read_part(bytes: bytes, place: Mapping[str, object], variant: Optional[str]) -> Tuple[List[_Game], int, bool]: ...
def line_ends(bytes: bytes) -> int: ...
def variant_of_tag(name: str) -> Optional[str]: ...
def write_game(
    tags: List[Tuple[str, str]], start: Board, nodes: List[Tuple[Move, _Remarks]], before: _Remarks, result: str
) -> str: ...

# The functions of pyffish. `variant` is "spartan" or "chess", `fen` a FEN or "startpos", `moves` coordinate notation.
# They raise ValueError for another variant, an invalid FEN, an illegal move, and Chess960.

def variants() -> List[str]: ...
def info() -> str:
    """Name and version of the engine."""
def start_fen(variant: str) -> str: ...
def two_boards(variant: str) -> bool: ...
def captures_to_hand(variant: str) -> bool: ...
def set_option(name: str, value: object) -> None:
    """Does nothing: the options of pyffish have no meaning here."""
def load_variant_config(config: str) -> None:
    """Does nothing: there are no other variants."""
def legal_moves(variant: str, fen: str, moves: List[str], chess960: object = False) -> List[str]: ...
def get_fen(
    variant: str,
    fen: str,
    moves: List[str],
    chess960: object = False,
    sfen: bool = False,
    show_promoted: bool = False,
    count_started: int = 0,
) -> str: ...
def get_fog_fen(fen: str, variant: str, chess960: object = False) -> str:
    """Always raises ``ValueError``: there is no fog of war."""
def get_san(variant: str, fen: str, move: str, chess960: object = False, notation: int = 0) -> str: ...
def get_san_moves(
    variant: str, fen: str, moves: List[str], chess960: object = False, notation: int = 0
) -> List[str]: ...
def gives_check(variant: str, fen: str, moves: List[str], chess960: object = False) -> bool:
    """Whether the side to move is in check after the moves."""
def is_capture(variant: str, fen: str, moves: List[str], move: str, chess960: object = False) -> bool: ...
def piece_to_partner(variant: str, fen: str, moves: List[str], chess960: object = False) -> str: ...
def game_result(variant: str, fen: str, moves: List[str], chess960: object = False) -> int:
    """``-VALUE_MATE`` if the side to move is mated, otherwise ``VALUE_DRAW``."""
def is_immediate_game_end(variant: str, fen: str, moves: List[str], chess960: object = False) -> Tuple[bool, int]: ...
def is_optional_game_end(
    variant: str, fen: str, moves: List[str], chess960: object = False, count_started: int = 0
) -> Tuple[bool, int]:
    """Whether the game is drawn by repetition or by the fifty-move rule, and the value of that."""
def has_insufficient_material(
    variant: str, fen: str, moves: List[str], chess960: object = False
) -> Tuple[bool, bool]:
    """For White and Black, whether they cannot win with their material."""
def validate_fen(fen: str, variant: str = "chess", chess960: object = False) -> int:
    """1 for a position, 0 for an empty text, otherwise a negative code for what is wrong."""
