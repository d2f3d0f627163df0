//! Kinds of pieces, what they are worth, and coloured pieces.

use super::Colour;

/// A kind of piece, of either army. Both armies share the king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum PieceType {
    /// The orthodox pawn.
    Pawn,
    /// The orthodox knight.
    Knight,
    /// The orthodox bishop.
    Bishop,
    /// The orthodox rook.
    Rook,
    /// The orthodox queen.
    Queen,
    /// One step in any direction. The Spartans begin with two.
    King,
    /// The Spartan pawn: moves diagonally, captures straight ahead.
    Hoplite,
    /// Leaps one or two squares diagonally; moves one square sideways without capturing.
    Lieutenant,
    /// Leaps one or two squares along the rank or file.
    Captain,
    /// Rook plus one step diagonally.
    General,
    /// Bishop plus knight.
    Warlord,
}

const _: () = assert!(size_of::<Option<PieceType>>() == 1);

/// The place of a kind in its army, named after the orthodox piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Role {
    /// Pawn or hoplite.
    Pawn,
    /// Knight or lieutenant.
    Knight,
    /// Bishop or captain.
    Bishop,
    /// Rook or general.
    Rook,
    /// Queen or warlord.
    Queen,
    /// King.
    King,
}

impl Role {
    /// All roles, from the pawn to the king.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];

    /// The roles besides pawn and king.
    pub const PIECES: [Self; 4] = [Self::Knight, Self::Bishop, Self::Rook, Self::Queen];
}

/// The worth of a kind for several purposes. That of a king is the worth of one of two.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// The value in exchanges, in centipawns.
    pub exchange: i32,
    /// The value in pawns by which pawnless endgames are told to be drawn; 0 for pawns.
    pub points: i32,
    /// The power to mate a lone king, in centipawns: higher the fewer moves it takes. The general mates within 10
    /// moves, the second king within 16, the warlord within 17, the captain within 29. 0 for pawns, which first have to
    /// promote.
    pub mating: i32,
    /// The share in the game phase.
    pub phase: i32,
}

const fn worth(exchange: i32, points: i32, mating: i32, phase: i32) -> Worth {
    Worth { exchange, points, mating, phase }
}

/// Letter, name and worth of each kind, in the order of [`PieceType`].
const KINDS: [(char, &str, Worth); PieceType::COUNT] = [
    ('p', "pawn", worth(100, 0, 0, 0)),
    ('n', "knight", worth(320, 3, 300, 1)),
    ('b', "bishop", worth(330, 3, 300, 1)),
    ('r', "rook", worth(500, 5, 500, 2)),
    ('q', "queen", worth(950, 9, 900, 4)),
    ('k', "king", worth(400, 5, 600, 1)),
    ('h', "hoplite", worth(100, 0, 0, 0)),
    ('l', "lieutenant", worth(320, 3, 300, 1)),
    ('c', "captain", worth(300, 3, 300, 1)),
    ('g', "general", worth(720, 7, 900, 3)),
    ('w', "warlord", worth(820, 8, 800, 4)),
];

impl PieceType {
    /// The number of kinds.
    pub const COUNT: usize = 11;

    /// All kinds in the order of their index.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
        Self::Hoplite,
        Self::Lieutenant,
        Self::Captain,
        Self::General,
        Self::Warlord,
    ];

    /// 0 to 10.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    #[inline]
    const fn role_index(self) -> usize {
        let index = self as usize;
        if index > Self::King as usize { index - 6 } else { index }
    }

    /// Its place in the army.
    #[inline]
    pub const fn role(self) -> Role {
        Role::ALL[self.role_index()]
    }

    /// Whether the piece is a pawn or a hoplite.
    #[inline]
    pub const fn is_pawn(self) -> bool {
        matches!(self, Self::Pawn | Self::Hoplite)
    }

    /// What it is worth.
    #[inline]
    pub const fn worth(self) -> &'static Worth {
        &KINDS[self as usize].2
    }

    /// The value in exchanges, in centipawns.
    #[inline]
    pub const fn exchange_value(self) -> i32 {
        self.worth().exchange
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// The letter in coordinate notation and in the FEN of Black.
    pub const fn letter(self) -> char {
        KINDS[self as usize].0
    }

    /// The kind with a letter of either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_lowercase())
    }
}

/// A piece of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Piece {
    /// Its side.
    pub colour: Colour,
    /// Its kind.
    pub kind: PieceType,
}

impl Piece {
    /// The number of indices: six for each side.
    pub const COUNT: usize = 12;

    /// 0 to 11: six kinds of White, then six of Black.
    #[inline]
    pub const fn index(self) -> usize {
        self.colour.index() * 6 + self.kind.role_index()
    }

    /// The piece with a FEN letter: upper case for White.
    pub fn from_letter(letter: char) -> Option<Self> {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        PieceType::from_letter(letter).map(|kind| Self { colour, kind })
    }

    /// The FEN letter: upper case for White.
    pub const fn letter(self) -> char {
        match self.colour {
            Colour::White => self.kind.letter().to_ascii_uppercase(),
            Colour::Black => self.kind.letter(),
        }
    }
}
