//! The weights of the evaluation and their layout in one flat array.
//!
//! The evaluation addresses a weight by its index in the flat array ([`AT`]): the same code sums up the weights or
//! records their counts. [`Params`] names the groups of weights; [`GROUPS`] lists them for `explain` and the tuner.

/// A weight of the evaluation: its middlegame and endgame value in centipawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pair {
    /// The value with all pieces on the board.
    pub mg: i16,
    /// The value with kings and pawns only.
    pub eg: i16,
}

/// Makes a [`Pair`].
pub const fn s(mg: i16, eg: i16) -> Pair {
    Pair { mg, eg }
}

/// The terms of the evaluation: the rows of `explain`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// The pieces, and pairs of them.
    Material,
    /// The squares of the pieces.
    Placement,
    /// The squares that pieces attack.
    Mobility,
    /// Features of single pieces.
    Pieces,
    /// The structure of pawns and hoplites.
    Pawns,
    /// Pawns and hoplites that no enemy pawn can stop.
    PassedPawns,
    /// Attacks on the squares around a king, and its shelter.
    KingSafety,
    /// What the second king of the Spartans is worth.
    TwoKings,
    /// Attacks on enemy pieces.
    Threats,
    /// The right to move.
    Tempo,
}

impl Term {
    /// All terms in display order.
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

    /// The displayed name.
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

/// A named group of weights.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The term to which its weights belong.
    pub term: Term,
    /// The field of [`Params`].
    pub name: &'static str,
    /// What the weights count.
    pub doc: &'static str,
    /// The index of its first weight in the flat array.
    pub first: usize,
    /// The number of its weights.
    pub len: usize,
    /// The number of weights in a printed row.
    pub row: usize,
}

/// Declares the groups: the struct of weights, their offsets in the flat array, and the list of groups.
macro_rules! layout {
    ($($term:ident { $($(#[doc = $doc:literal])+ $name:ident: $len:literal by $row:literal,)+ })+) => {
        /// The weights of the evaluation by group.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Params {
            $($($(#[doc = $doc])+ pub $name: [Pair; $len],)+)+
        }

        /// The offset of each group in the flat array.
        pub struct Offsets {
            $($(#[doc = concat!("The index of the first of [`Params::", stringify!($name), "`].")] pub $name: usize,)+)+
        }

        /// The number of weights.
        pub const COUNT: usize = 0 $($(+ $len)+)+;

        /// The offset of each group.
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
            /// The weights in one array.
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
        /// By kind: pawn, knight, bishop, rook, queen, second king; hoplite, lieutenant, captain, general, warlord.
        material: 11 by 6,
    }
    Placement {
        /// Piece-square tables: the left half of the board, mirrored for the right half. The first row is the army's
        /// own back rank, the last column the d- and e-file.
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
        /// Each castling right.
        castling: 1 by 1,
    }
    Mobility {
        /// By the number of reachable squares not attacked by an enemy pawn or hoplite.
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
        /// A rook on an open file (without pawns and hoplites) and on a half-open file (without own pawns).
        rook_file: 2 by 2,
        /// A general on an open and on a half-open file.
        general_file: 2 by 2,
        /// A knight, bishop, lieutenant or captain on the army's fourth to sixth rank, protected by a pawn or hoplite
        /// and not attacked by one.
        outpost: 4 by 4,
    }
    Pawns {
        /// A pawn behind another own pawn on the same file.
        pawn_doubled: 1 by 1,
        /// A pawn without own pawns on the adjacent files.
        pawn_isolated: 1 by 1,
        /// A pawn with any piece directly in front of it.
        pawn_blocked: 1 by 1,
        /// A pawn protected by a pawn, by rank from the army's second.
        pawn_supported: 6 by 6,
        /// A pawn beside a pawn.
        pawn_phalanx: 6 by 6,
        /// A hoplite without hoplites on the adjacent files.
        hoplite_isolated: 1 by 1,
        /// A hoplite that cannot step: both squares diagonally in front are occupied or off the board.
        hoplite_blocked: 1 by 1,
        /// A hoplite protected by another one directly behind it.
        hoplite_supported: 6 by 6,
        /// A hoplite beside a hoplite.
        hoplite_phalanx: 6 by 6,
    }
    PassedPawns {
        /// A pawn that no enemy pawn or hoplite can stop or capture, by rank from the army's second.
        passed_pawn: 6 by 6,
        /// A passed pawn with a free path.
        passed_pawn_free: 6 by 6,
        /// A passed pawn whose path the enemy does not attack.
        passed_pawn_safe: 6 by 6,
        /// A passed pawn protected by a pawn.
        passed_pawn_supported: 6 by 6,
        /// From the army's fourth rank on: the distance of its own nearest king to the square in front of it.
        passed_pawn_own_king: 8 by 8,
        /// The distance of the nearest enemy king to that square.
        passed_pawn_enemy_king: 8 by 8,
        /// A hoplite with a diagonal path to the last rank on which no enemy pawn stands or captures.
        passed_hoplite: 6 by 6,
        /// A passed hoplite with a free path that the enemy does not attack.
        passed_hoplite_free: 6 by 6,
        /// A passed hoplite protected by a hoplite.
        passed_hoplite_supported: 6 by 6,
        /// From the army's fourth rank on: the distance of its own nearest king.
        passed_hoplite_own_king: 8 by 8,
        /// The distance of the enemy king.
        passed_hoplite_enemy_king: 8 by 8,
        /// A passed hoplite that can promote to a second king.
        hoplite_crown: 6 by 6,
    }
    KingSafety {
        /// The Persian king, on its file and the adjacent files: by file distance from the edge (rows), the rank of the
        /// own pawn nearest to the back rank and not behind the king; the first column without one.
        shelter_persian: 28 by 7,
        /// The only Spartan king, by hoplites.
        shelter_royal: 28 by 7,
        /// Each of two Spartan kings.
        shelter_paired: 28 by 7,
        /// The rank of the nearest enemy hoplite or pawn on those files; the first column without one.
        storm_persian: 7 by 7,
        /// Pawns against the only Spartan king.
        storm_royal: 7 by 7,
        /// Pawns against each of two Spartan kings.
        storm_paired: 7 by 7,
        /// By the attack weight on the Persian king.
        danger_persian: 32 by 8,
        /// The attack on the only Spartan king.
        danger_royal: 32 by 8,
    }
    TwoKings {
        /// The attack on each of two Spartan kings.
        danger_paired: 32 by 8,
        /// By the lesser of the attack weights on two Spartan kings: the danger of a duple-check.
        danger_duple: 16 by 8,
        /// A knight, bishop, rook or queen can move to an unprotected square that attacks both kings.
        kings_fork: 4 by 4,
        /// By the distance between the two kings.
        kings_distance: 8 by 8,
    }
    Threats {
        /// Enemy pieces attacked by pawns or hoplites, by kind in the order of the material.
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
        /// The side to move.
        tempo: 1 by 1,
    }
}
