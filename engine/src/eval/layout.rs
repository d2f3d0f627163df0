//! Which numbers the evaluation has, and where each stands in one flat array.
//!
//! The evaluation addresses a number by its index in the flat array ([`AT`]), so that the same code
//! can sum the numbers up or record how often each of them counts. [`Params`] gives the groups of
//! numbers their names; [`GROUPS`] lists them for whoever prints or rewrites them.

/// A number of the evaluation: its worth, in centipawns, in the middlegame and in the endgame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pair {
    /// The worth with all pieces on the board.
    pub mg: i16,
    /// The worth with kings and pawns alone.
    pub eg: i16,
}

/// A pair, in short.
pub const fn s(mg: i16, eg: i16) -> Pair {
    Pair { mg, eg }
}

/// What a group of numbers is about: the rows of [`super::explain`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Term {
    Material,
    Placement,
    Mobility,
    Pieces,
    Pawns,
    PassedPawns,
    KingSafety,
    TwoKings,
    Threats,
    Tempo,
}

impl Term {
    /// All terms in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Material,
        Self::Placement,
        Self::Mobility,
        Self::Pieces,
        Self::Pawns,
        Self::PassedPawns,
        Self::KingSafety,
        Self::TwoKings,
        Self::Threats,
        Self::Tempo,
    ];

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Material => "Material",
            Self::Placement => "Placement",
            Self::Mobility => "Mobility",
            Self::Pieces => "Pieces",
            Self::Pawns => "Pawns",
            Self::PassedPawns => "Passed pawns",
            Self::KingSafety => "King safety",
            Self::TwoKings => "Two kings",
            Self::Threats => "Threats",
            Self::Tempo => "Tempo",
        }
    }
}

/// A named group of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What it is about.
    pub term: Term,
    /// The field of [`Params`].
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// The index of its first number in the flat array.
    pub first: usize,
    /// How many numbers it has.
    pub len: usize,
    /// How many numbers a printed row has.
    pub row: usize,
}

/// Declares the groups: the struct of numbers, their places in the flat array and their list.
macro_rules! layout {
    ($($term:ident { $($(#[doc = $doc:literal])+ $name:ident: $len:literal by $row:literal,)+ })+) => {
        /// The numbers of the evaluation by group.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Params {
            $($($(#[doc = $doc])+ pub $name: [Pair; $len],)+)+
        }

        /// The place of each group in the flat array.
        pub struct Offsets {
            $($(#[doc = concat!("The index of the first of [`Params::", stringify!($name), "`].")] pub $name: usize,)+)+
        }

        /// How many numbers there are.
        pub const COUNT: usize = 0 $($(+ $len)+)+;

        /// Where each group begins.
        pub const AT: Offsets = {
            let mut next = 0;
            $($(let $name = next; next += $len;)+)+
            assert!(next == COUNT);
            Offsets { $($($name,)+)+ }
        };

        /// All groups in the order of the flat array.
        pub const GROUPS: &[Group] = &[
            $($(Group {
                term: Term::$term,
                name: stringify!($name),
                doc: concat!($($doc),+),
                first: AT.$name,
                len: $len,
                row: $row,
            },)+)+
        ];

        impl Params {
            /// The numbers in one array.
            pub const fn flat(&self) -> [Pair; COUNT] {
                let mut flat = [s(0, 0); COUNT];
                $($(
                    let mut i = 0;
                    while i < $len {
                        flat[AT.$name + i] = self.$name[i];
                        i += 1;
                    }
                )+)+
                flat
            }
        }
    };
}

layout! {
    Material {
        /// By kind: pawn, knight, bishop, rook, queen, second king; hoplite, lieutenant, captain,
        /// general, warlord.
        material: 11 by 6,
    }
    Placement {
        /// Piece-square tables: the left half of the board, mirrored for the right one. The first
        /// row is the army's own back rank, the last column the d- and e-file.
        psqt_pawn: 32 by 4,
        /// Knight.
        psqt_knight: 32 by 4,
        /// Bishop.
        psqt_bishop: 32 by 4,
        /// Rook.
        psqt_rook: 32 by 4,
        /// Queen.
        psqt_queen: 32 by 4,
        /// The Persian king.
        psqt_king: 32 by 4,
        /// Hoplite.
        psqt_hoplite: 32 by 4,
        /// Lieutenant.
        psqt_lieutenant: 32 by 4,
        /// Captain.
        psqt_captain: 32 by 4,
        /// General.
        psqt_general: 32 by 4,
        /// Warlord.
        psqt_warlord: 32 by 4,
        /// The only Spartan king.
        psqt_royal: 32 by 4,
        /// Each of two Spartan kings.
        psqt_paired: 32 by 4,
        /// Each right to castle.
        castling: 1 by 1,
    }
    Mobility {
        /// By the number of squares that a piece can go to and that no enemy pawn or hoplite attacks.
        mobility_knight: 9 by 9,
        /// Bishop.
        mobility_bishop: 14 by 7,
        /// Rook.
        mobility_rook: 15 by 8,
        /// Queen.
        mobility_queen: 28 by 7,
        /// Lieutenant, its steps sideways included.
        mobility_lieutenant: 11 by 11,
        /// Captain.
        mobility_captain: 9 by 9,
        /// General.
        mobility_general: 19 by 10,
        /// Warlord.
        mobility_warlord: 22 by 11,
    }
    Pieces {
        /// Bishops on squares of both colours.
        bishop_pair: 1 by 1,
        /// A rook on a file without pawns and hoplites, and on one without own pawns.
        rook_file: 2 by 2,
        /// A general on such files.
        general_file: 2 by 2,
        /// A knight, bishop, lieutenant or captain on the army's fourth to sixth rank that a pawn or
        /// hoplite protects and none attacks.
        outpost: 4 by 4,
    }
    Pawns {
        /// A pawn behind another one of its side on the same file.
        pawn_doubled: 1 by 1,
        /// A pawn without pawns of its side on the neighbouring files.
        pawn_isolated: 1 by 1,
        /// A pawn with any piece straight before it.
        pawn_blocked: 1 by 1,
        /// A pawn that a pawn protects, by rank from the army's second.
        pawn_supported: 6 by 6,
        /// A pawn beside a pawn.
        pawn_phalanx: 6 by 6,
        /// A hoplite without hoplites on the neighbouring files.
        hoplite_isolated: 1 by 1,
        /// A hoplite that cannot step: both squares before it are occupied or off the board.
        hoplite_blocked: 1 by 1,
        /// A hoplite with another one straight behind, which protects it.
        hoplite_supported: 6 by 6,
        /// A hoplite beside a hoplite.
        hoplite_phalanx: 6 by 6,
    }
    PassedPawns {
        /// A pawn that no enemy pawn or hoplite can stop or capture on its way, by rank from the
        /// army's second.
        passed_pawn: 6 by 6,
        /// It moreover finds nothing in its way.
        passed_pawn_free: 6 by 6,
        /// The enemy attacks no square of its way.
        passed_pawn_safe: 6 by 6,
        /// A pawn protects it.
        passed_pawn_supported: 6 by 6,
        /// From the army's fourth rank on: the distance of its own king from the square before it.
        passed_pawn_own_king: 8 by 8,
        /// The distance of the enemy's nearer king from there.
        passed_pawn_enemy_king: 8 by 8,
        /// A hoplite with a way down the diagonals on which no pawn stands or captures.
        passed_hoplite: 6 by 6,
        /// It moreover has a way on which nothing stands and nothing attacks it.
        passed_hoplite_free: 6 by 6,
        /// A hoplite protects it.
        passed_hoplite_supported: 6 by 6,
        /// From the army's fourth rank on: the distance of its nearer own king.
        passed_hoplite_own_king: 8 by 8,
        /// The distance of the enemy's king.
        passed_hoplite_enemy_king: 8 by 8,
        /// A passed hoplite that may become the second king.
        hoplite_crown: 6 by 6,
    }
    KingSafety {
        /// The Persian king, on its file and those beside it: by file from the edge (rows) the rank
        /// of the own pawn nearest to the back rank and not behind the king; first without one.
        shelter_persian: 28 by 7,
        /// The only Spartan king behind hoplites.
        shelter_royal: 28 by 7,
        /// Each of two Spartan kings.
        shelter_paired: 28 by 7,
        /// The rank of the nearest hoplite or pawn of the enemy on those files; first without one.
        storm_persian: 7 by 7,
        /// Pawns against the only Spartan king.
        storm_royal: 7 by 7,
        /// Pawns against each of two Spartan kings.
        storm_paired: 7 by 7,
        /// By the weight of the attack on the Persian king.
        danger_persian: 32 by 8,
        /// The attack on the only Spartan king.
        danger_royal: 32 by 8,
    }
    TwoKings {
        /// The attack on each of two Spartan kings.
        danger_paired: 32 by 8,
        /// By the weight of the lesser of the attacks on two Spartan kings: the danger of a
        /// duple-check.
        danger_duple: 16 by 8,
        /// A knight, bishop, rook or queen can go to a square that is not protected and attack both
        /// kings from there.
        kings_fork: 4 by 4,
        /// By the distance of the two kings.
        kings_distance: 8 by 8,
    }
    Threats {
        /// Enemy pieces that pawns or hoplites attack, by kind in the order of the material.
        threat_by_pawn: 11 by 6,
        /// Attacked by knights and bishops, lieutenants and captains.
        threat_by_minor: 11 by 6,
        /// Attacked by rooks or generals.
        threat_by_rook: 11 by 6,
        /// Attacked by queens or warlords.
        threat_by_queen: 11 by 6,
        /// Attacked by kings.
        threat_by_king: 11 by 6,
        /// Attacked and not protected.
        hanging: 11 by 6,
    }
    Tempo {
        /// The right to move.
        tempo: 1 by 1,
    }
}
