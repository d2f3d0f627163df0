"""Spartan Chess and orthodox chess for Python: rules, notation, endgame tables, and the Agoge engine in the process.

>>> import agoge_chess
>>> board = agoge_chess.Board()
>>> board.push_san("e4").uci()
'e2e4'
>>> board.push_san("Hbd5").uci()
'b7d5'
>>> board.fen()
'lgkcckwl/h1hhhhhh/8/3h4/4P3/8/PPPP1PPP/RNBQKBNR w KQ - 0 2'

:class:`Board`, :class:`Move` and :class:`Engine` follow python-chess: White is ``True``, squares are numbers from 0 (a1)
to 63 (h8). The functions of pyffish are here, too, so that a script changes one import::

    import agoge_chess as pyffish
"""

from importlib.metadata import version as _version

from . import pgn
from ._agoge import (
    Board,
    Move,
    captures_to_hand,
    game_result,
    get_fen,
    get_fog_fen,
    get_san,
    get_san_moves,
    gives_check,
    has_insufficient_material,
    info,
    is_capture,
    is_immediate_game_end,
    is_optional_game_end,
    legal_moves,
    load_variant_config,
    piece_to_partner,
    set_option,
    start_fen,
    two_boards,
    validate_fen,
    variants,
)
from .engine import Engine, Info, PlayResult, Score, Search
from .rules import BLACK, SQUARE_NAMES, WHITE, Outcome, outcome, parse_square, square_name
from .tables import Tables, TableValue

__version__ = _version("agoge-chess")

#: The exception of pyffish.
error = ValueError

# The constants of pyffish.
VALUE_MATE = 32000
VALUE_DRAW = 0
FEN_OK = 1
NOTATION_DEFAULT = 0
NOTATION_SAN = 1
NOTATION_LAN = 2


def version():
    """The version of the package as three numbers, as pyffish gives its own."""
    return tuple(int(number) for number in __version__.split("."))


__all__ = [
    "BLACK",
    "Board",
    "Engine",
    "FEN_OK",
    "Info",
    "Move",
    "NOTATION_DEFAULT",
    "NOTATION_LAN",
    "NOTATION_SAN",
    "Outcome",
    "PlayResult",
    "SQUARE_NAMES",
    "Score",
    "Search",
    "TableValue",
    "Tables",
    "VALUE_DRAW",
    "VALUE_MATE",
    "WHITE",
    "captures_to_hand",
    "error",
    "game_result",
    "get_fen",
    "get_fog_fen",
    "get_san",
    "get_san_moves",
    "gives_check",
    "has_insufficient_material",
    "info",
    "is_capture",
    "is_immediate_game_end",
    "is_optional_game_end",
    "legal_moves",
    "load_variant_config",
    "outcome",
    "parse_square",
    "pgn",
    "piece_to_partner",
    "set_option",
    "square_name",
    "start_fen",
    "two_boards",
    "validate_fen",
    "variants",
    "version",
]
