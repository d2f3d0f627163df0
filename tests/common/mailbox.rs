//! A second, simple implementation of the rules: a mailbox of 64 letters, with pseudo-legal moves that are made and
//! tested for legality one by one. It is slow, and shares only the set-up with the engine.

use agoge_core::board::{Board, Setup, Variant};
use agoge_core::types::{CastlingRights, CastlingSide, Colour, Piece, Square};

/// A position: the FEN letters of the pieces, `.` for an empty square, a1 first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mailbox {
    cells: [u8; 64],
    white_to_move: bool,
    castling: String,
    en_passant: Option<usize>,
    halfmoves: u16,
    fullmoves: u16,
    /// Whether Black's pieces are Spartan.
    spartan: bool,
}

const ORTHOGONAL: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

fn step(from: usize, (files, ranks): (i32, i32)) -> Option<usize> {
    let (file, rank) = ((from % 8) as i32 + files, (from / 8) as i32 + ranks);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize)
}

fn name(square: usize) -> String {
    format!("{}{}", (b'a' + (square % 8) as u8) as char, square / 8 + 1)
}

fn square(name: &str) -> usize {
    let bytes = name.as_bytes();
    (bytes[0] - b'a') as usize + 8 * (bytes[1] - b'1') as usize
}

impl Mailbox {
    /// The same position as a board.
    pub fn new(board: &Board) -> Self {
        let setup = Setup::from(board);
        let rights = CastlingRights::EACH.into_iter().filter(|&(colour, side)| setup.castling.has(colour, side));
        Self {
            cells: setup.pieces.map(|piece| piece.map_or(b'.', |piece| piece.letter() as u8)),
            white_to_move: setup.side_to_move == Colour::White,
            castling: rights.map(|(colour, side)| side.letter(colour)).collect(),
            en_passant: setup.en_passant.map(Square::index),
            halfmoves: setup.halfmove_clock,
            fullmoves: setup.fullmove_number,
            spartan: setup.variant == Variant::Spartan,
        }
    }

    /// The set-up, with the en-passant square only if a legal capture exists.
    pub fn setup(&self) -> Setup {
        let variant = if self.spartan { Variant::Spartan } else { Variant::Chess };
        let en_passant = self.en_passant.filter(|&target| {
            let hits = |mv: &String| square(&mv[2..4]) == target && self.cells[square(mv)].eq_ignore_ascii_case(&b'p');
            self.legal_moves().iter().any(hits)
        });
        Setup {
            pieces: self.cells.map(|cell| Piece::from_letter(cell.into())),
            side_to_move: if self.white_to_move { Colour::White } else { Colour::Black },
            castling: self.castling.chars().fold(CastlingRights::NONE, |rights, letter| {
                let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
                let is_king_side = letter.eq_ignore_ascii_case(&'k');
                rights.with(colour, if is_king_side { CastlingSide::King } else { CastlingSide::Queen })
            }),
            en_passant: en_passant.map(|square| Square::new(square as u8)),
            halfmove_clock: self.halfmoves,
            fullmove_number: self.fullmoves,
            ..Setup::empty(variant)
        }
    }

    fn owned_by(&self, square: usize, white: bool) -> bool {
        let cell = self.cells[square];
        cell != b'.' && cell.is_ascii_uppercase() == white
    }

    /// The squares that the piece on a square attacks.
    fn attacks(&self, from: usize) -> Vec<usize> {
        let leap = |steps: &[(i32, i32)]| steps.iter().filter_map(|&by| step(from, by)).collect::<Vec<_>>();
        let twice = |steps: &[(i32, i32)]| steps.iter().map(|&(a, b)| (2 * a, 2 * b)).collect::<Vec<_>>();
        let slide = |directions: &[(i32, i32)]| {
            let mut squares = Vec::new();
            for &direction in directions {
                let mut at = from;
                while let Some(next) = step(at, direction) {
                    squares.push(next);
                    at = next;
                    if self.cells[at] != b'.' {
                        break;
                    }
                }
            }
            squares
        };
        match self.cells[from] {
            b'P' => leap(&[(-1, 1), (1, 1)]),
            b'p' => leap(&[(-1, -1), (1, -1)]),
            b'h' => leap(&[(0, -1)]),
            b'N' | b'n' => leap(&KNIGHT),
            b'B' | b'b' => slide(&DIAGONAL),
            b'R' | b'r' => slide(&ORTHOGONAL),
            b'Q' | b'q' => [slide(&ORTHOGONAL), slide(&DIAGONAL)].concat(),
            b'K' | b'k' => [leap(&ORTHOGONAL), leap(&DIAGONAL)].concat(),
            b'g' => [slide(&ORTHOGONAL), leap(&DIAGONAL)].concat(),
            b'w' => [slide(&DIAGONAL), leap(&KNIGHT)].concat(),
            b'c' => [leap(&ORTHOGONAL), leap(&twice(&ORTHOGONAL))].concat(),
            b'l' => [leap(&DIAGONAL), leap(&twice(&DIAGONAL))].concat(),
            _ => Vec::new(),
        }
    }

    fn is_attacked(&self, target: usize, by_white: bool) -> bool {
        (0..64).any(|from| self.owned_by(from, by_white) && self.attacks(from).contains(&target))
    }

    /// Whether all kings of a side are attacked.
    fn all_kings_attacked(&self, white: bool) -> bool {
        let king = if white { b'K' } else { b'k' };
        (0..64).filter(|&at| self.cells[at] == king).all(|at| self.is_attacked(at, !white))
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.all_kings_attacked(self.white_to_move)
    }

    /// The pseudo-legal moves, which ignore the safety of the kings.
    fn pseudo_legal_moves(&self) -> Vec<(usize, usize, Option<u8>)> {
        let white = self.white_to_move;
        let is_empty = |at: usize| self.cells[at] == b'.';
        let mut moves = Vec::new();
        for from in (0..64).filter(|&at| self.owned_by(at, white)) {
            let piece = self.cells[from];
            let mut targets: Vec<usize> = Vec::new();
            if matches!(piece, b'P' | b'p' | b'h') {
                let captures = |&to: &usize| self.owned_by(to, !white) || piece != b'h' && self.en_passant == Some(to);
                targets.extend(self.attacks(from).into_iter().filter(captures));
            } else {
                targets.extend(self.attacks(from).into_iter().filter(|&to| !self.owned_by(to, white)));
            }
            match piece {
                b'P' | b'p' => {
                    let (forward, home) = if white { (1, 1) } else { (-1, 6) };
                    let first = step(from, (0, forward)).filter(|&to| is_empty(to));
                    let second =
                        first.and_then(|at| step(at, (0, forward))).filter(|&to| is_empty(to) && from / 8 == home);
                    targets.extend(first.into_iter().chain(second));
                }
                b'h' => {
                    let short = [(-1, -1), (1, -1)].into_iter();
                    let long = [(-2, -2), (2, -2)].into_iter().filter(|_| from / 8 == 6);
                    targets.extend(short.chain(long).filter_map(|by| step(from, by)).filter(|&to| is_empty(to)));
                }
                b'l' => {
                    let sideways = [(-1, 0), (1, 0)].into_iter().filter_map(|by| step(from, by));
                    targets.extend(sideways.filter(|&to| is_empty(to)));
                }
                _ => {}
            }
            let lone_king = self.cells.iter().filter(|&&cell| cell == b'k').count() == 1;
            for to in targets {
                let promotions: &[u8] = match piece {
                    b'P' if to / 8 == 7 => b"qrbn",
                    b'p' if to / 8 == 0 => b"qrbn",
                    b'h' if to / 8 == 0 && lone_king => b"gwclk",
                    b'h' if to / 8 == 0 => b"gwcl",
                    _ => b"",
                };
                moves.extend(promotions.iter().map(|&letter| (from, to, Some(letter))));
                if promotions.is_empty() {
                    moves.push((from, to, None));
                }
            }
        }
        for right in self.castling.bytes().filter(|right| right.is_ascii_uppercase() == white) {
            let home = if white { 0 } else { 56 };
            let (free, path, to) = match right.to_ascii_uppercase() {
                b'K' => (5..7, 4..7, 6),
                _ => (1..4, 2..5, 2),
            };
            if free.into_iter().all(|at| is_empty(home + at))
                && path.into_iter().all(|at| !self.is_attacked(home + at, !white))
            {
                moves.push((home + 4, home + to, None));
            }
        }
        moves
    }

    fn make(&self, (from, to, promotion): (usize, usize, Option<u8>)) -> Self {
        let mut next = self.clone();
        let piece = self.cells[from];
        let pawn = matches!(piece, b'P' | b'p' | b'h');
        next.halfmoves = if pawn || self.cells[to] != b'.' { 0 } else { self.halfmoves + 1 };
        next.fullmoves += u16::from(!self.white_to_move);
        next.cells[from] = b'.';
        next.cells[to] = match promotion {
            Some(letter) if self.white_to_move => letter.to_ascii_uppercase(),
            Some(letter) => letter,
            None => piece,
        };
        if matches!(piece, b'P' | b'p') && self.en_passant == Some(to) && from % 8 != to % 8 {
            next.cells[from / 8 * 8 + to % 8] = b'.';
        }
        let home = if self.white_to_move { 4 } else { 60 };
        if matches!(piece, b'K' | b'k') && from == home && from.abs_diff(to) == 2 {
            let (corner, beside) = if to > from { (home + 3, home + 1) } else { (home - 4, home - 1) };
            next.cells[beside] = next.cells[corner];
            next.cells[corner] = b'.';
        }
        for (at, right) in [(4, "KQ"), (7, "K"), (0, "Q"), (60, "kq"), (63, "k"), (56, "q")] {
            if from == at || to == at {
                next.castling.retain(|letter| !right.contains(letter));
            }
        }
        let double_step = matches!(piece, b'P' | b'p') && from.abs_diff(to) == 16;
        next.en_passant = (double_step && !self.spartan).then_some((from + to) / 2);
        next.white_to_move = !self.white_to_move;
        next
    }

    /// Each legal move in coordinate notation, with the position after it.
    pub fn successors(&self) -> Vec<(String, Self)> {
        let letter = |promotion: Option<u8>| promotion.map_or(String::new(), |letter| (letter as char).to_string());
        let tried = self.pseudo_legal_moves().into_iter().map(|mv| (mv, self.make(mv)));
        tried
            .filter(|(_, next)| !next.all_kings_attacked(self.white_to_move))
            .map(|((from, to, promotion), next)| (format!("{}{}{}", name(from), name(to), letter(promotion)), next))
            .collect()
    }

    /// The legal moves in coordinate notation, sorted.
    pub fn legal_moves(&self) -> Vec<String> {
        let mut moves: Vec<String> = self.successors().into_iter().map(|(mv, _)| mv).collect();
        moves.sort();
        moves
    }

    /// The static exchange evaluation of a move in coordinate notation: both sides capture on its destination with
    /// their least valuable piece first and may stop at any time. A royal king captures only if it cannot be
    /// recaptured.
    pub fn exchange(&self, mv: &str, value: &dyn Fn(u8) -> i32) -> i32 {
        let (from, to) = (square(&mv[..2]), square(&mv[2..4]));
        let promotion = mv.as_bytes().get(4).copied();
        if self.cells[from].eq_ignore_ascii_case(&b'k') && from.abs_diff(to) == 2 {
            // Castling cannot be answered by a capture.
            return 0;
        }
        let next = self.make((from, to, promotion));
        let worth = |board: &Self, white| -> i32 {
            (0..64).filter(|&at| board.owned_by(at, white)).map(|at| value(board.cells[at])).sum()
        };
        let us = self.white_to_move;
        let gain = worth(&next, us) - worth(self, us) + worth(self, !us) - worth(&next, !us);
        gain - next.recapture(to, !us, value)
    }

    /// What a side wins by capturing on a square, or 0 if it should not capture.
    fn recapture(&self, target: usize, white: bool, value: &dyn Fn(u8) -> i32) -> i32 {
        let king = if white { b'K' } else { b'k' };
        let royal = self.cells.iter().filter(|&&cell| cell == king).count() == 1;
        let is_royal = |from: usize| royal && self.cells[from] == king;
        let attackers = (0..64).filter(|&from| self.owned_by(from, white) && self.attacks(from).contains(&target));
        let Some(from) = attackers.min_by_key(|&from| (is_royal(from), value(self.cells[from]), from)) else {
            return 0;
        };
        let mut next = self.clone();
        next.cells[target] = self.cells[from];
        next.cells[from] = b'.';
        if is_royal(from) && next.is_attacked(target, !white) {
            return 0;
        }
        (value(self.cells[target]) - next.recapture(target, !white, value)).max(0)
    }
}
