use super::*;
use crate::data::record::tests::random_record;
use crate::data::record::{GameResult, Header, Ply, Writer};
use crate::train::position::tests::share;
use agoge_core::board::Board;
use std::collections::HashSet;
use std::fs;

/// Writes a file of games into a directory.
fn write(directory: &Path, variant: Variant, games: &[GameRecord]) -> PathBuf {
    let path = directory.join("games");
    let header = Header { variant, seed: 1, program: "test".to_owned(), settings: String::new() };
    let mut writer = Writer::create(&path, &header).expect("a new file");
    games.iter().for_each(|game| writer.push(game).expect("a game"));
    writer.finish().expect("a whole file");
    path
}

fn everything() -> Filter {
    Filter { skip_plies: 0, max_score: i16::MAX, max_swing: u16::MAX, max_clock: u16::MAX, min_men: 0 }
}

fn source(path: &Path) -> Source {
    Source {
        files: vec![path.to_owned()],
        filter: everything(),
        tables: None,
        validation: 0.25,
        validation_file: Vec::new(),
        lambda: 0.0,
        seed: 1,
        limit: usize::MAX,
    }
}

fn random_games(count: u64) -> Vec<GameRecord> {
    (0..count).map(|number| random_record(Variant::Spartan, number)).collect()
}

/// A game with these moves and scores.
fn game(start: &str, plies: &[(&str, i16)]) -> GameRecord {
    let start = Board::from_fen(start, Variant::Spartan).expect("a position");
    let mut board = start.clone();
    let mut ply = |&(text, score): &(&str, i16)| {
        let mv = board.parse_move(text).expect("a legal move");
        board.make_move(mv);
        Ply { mv, score }
    };
    let plies = plies.iter().map(&mut ply).collect();
    GameRecord { number: 7, start, plies, result: GameResult::WhiteWins }
}

#[test]
fn every_position_has_a_reason() {
    let start = "2k5/8/8/2h5/8/2N5/4P3/4K3 w - - 0 1";
    let moves = [("c3e4", 10), ("c8b8", 20), ("e4c5", 30), ("b8c8", 900), ("e2e4", 2500), ("c8b8", 2500)];
    let game = game(start, &moves);
    let counts = |filter: &Filter| {
        let (positions, counts) = pick(&game, 0.0, filter, None).expect("legal moves");
        assert_eq!(positions.len() as u64, counts[Reason::Kept as usize]);
        assert_eq!(counts.iter().sum::<u64>(), 6);
        counts
    };
    // The third move is a capture, and the score jumps after it.
    assert_eq!(counts(&everything()), [5, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    assert_eq!(counts(&Filter { skip_plies: 3, ..everything() }), [3, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(counts(&Filter { max_score: 1000, ..everything() }), [3, 0, 0, 0, 1, 2, 0, 0, 0, 0]);
    // The capture and the pawn move reset the halfmove clock.
    assert_eq!(counts(&Filter { max_clock: 0, ..everything() }), [3, 0, 0, 0, 1, 0, 0, 2, 0, 0]);
    assert_eq!(counts(&Filter { min_men: 5, ..everything() }), [2, 0, 0, 0, 1, 0, 0, 0, 3, 0]);
    assert_eq!(counts(&Filter { max_swing: 880, ..everything() }), [4, 0, 0, 0, 1, 0, 1, 0, 0, 0]);

    let checked = self::game("2k5/8/8/2R5/8/8/4P3/4K3 b - - 0 1", &[("c8b8", 500), ("c5b5", 500), ("b8c8", 500)]);
    assert_eq!(pick(&checked, 0.0, &everything(), None).expect("legal moves").1, [1, 0, 0, 2, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn labels_come_from_the_game() {
    let game = game("2k5/8/8/2h5/8/2N5/4P3/4K3 w - - 0 1", &[("c3e4", 10), ("c8b8", 20)]);
    let (positions, _) = pick(&game, 0.0, &everything(), None).expect("legal moves");
    assert_eq!(positions[0], Position::new(&game.start, 10, 2).expect("few pieces"));
    assert_eq!((positions[0].score(), positions[0].target(share(1.0))), (10, 1.0));
    assert_eq!((positions[1].score(), positions[1].target(share(1.0))), (-20, 0.0));
}

/// TD(lambda): each label is a mean of the scores of its own search and of all later ones.
#[test]
fn labels_blend_the_scores_of_later_plies() {
    let moves = [("c3e4", 100), ("c8b8", 60), ("e4c3", -40), ("b8c8", 0)];
    let game = game("2k5/8/8/2h5/8/2N5/4P3/4K3 w - - 0 1", &moves);
    assert_eq!(labels(&game, 0.0), [100, 60, -40, 0]);
    assert_eq!(labels(&game, 0.5), [60, 20, -20, 0]);
    let (positions, _) = pick(&game, 0.5, &everything(), None).expect("legal moves");
    // From the side to move's view.
    assert_eq!(positions.iter().map(Position::score).collect::<Vec<_>>(), [60, -20, -20, 0]);
    // The filter goes by the scores of the searches.
    let filter = Filter { max_score: 90, max_swing: 50, ..everything() };
    let (_, counts) = pick(&game, 0.5, &filter, None).expect("legal moves");
    assert_eq!(counts, [2, 0, 0, 0, 0, 1, 1, 0, 0, 0]);
}

#[test]
fn validation_keeps_the_scores_of_its_own_searches() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = write(directory.path(), Variant::Spartan, &random_games(50));
    let plain = Dataset::read(&source(&path)).expect("games");
    let blended = Dataset::read(&Source { lambda: 0.5, ..source(&path) }).expect("games");
    assert_eq!(plain.validation, blended.validation);
    assert_eq!(plain.training.len(), blended.training.len());
    assert_ne!(plain.training, blended.training);
}

/// Positions in the tables have their results, whatever the search and the game said; the embedded one has all of three
/// men.
#[test]
fn tables_correct_labels() {
    let label = |fen: &str, mv: &str, score: i16| {
        let game = game(fen, &[(mv, score)]);
        let filter = Filter { min_men: 5, max_swing: 0, ..everything() };
        let (positions, counts) = pick(&game, 0.0, &filter, Some(Tables::embedded())).expect("legal moves");
        assert_eq!(counts[Reason::Table as usize] + counts[Reason::Men as usize], 1);
        positions.first().map(|position| (position.score(), position.target(share(1.0))))
    };
    // A pawn that is stopped, although the game was won, and a win of the queen for each side.
    assert_eq!(label("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1", "e1f2", 300), Some((0, 0.5)));
    assert_eq!(label("8/8/8/8/4k3/8/8/Q3K3 w - - 0 1", "a1d1", 700), Some((TABLE_WIN, 1.0)));
    assert_eq!(label("8/8/8/8/4k3/8/8/Q3K3 w - - 0 1", "a1d1", 1900), Some((1900, 1.0)));
    assert_eq!(label("8/8/8/8/4k3/8/8/Q3K3 b - - 0 1", "e4f4", 100), Some((-TABLE_WIN, 0.0)));
    assert_eq!(label("2k5/8/8/2h5/8/8/4P3/4K3 w - - 0 1", "e2e4", 20), None, "not in the tables");
}

#[test]
fn games_are_not_split_between_training_and_validation() {
    let directory = tempfile::tempdir().expect("a directory");
    let games = random_games(200);
    let path = write(directory.path(), Variant::Spartan, &games);
    let data = Dataset::read(&source(&path)).expect("games");
    assert_eq!(data.tally.games, 200);
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    assert_eq!(data.tally.positions.iter().sum::<u64>(), plies as u64);
    assert_eq!(data.training.len() + data.validation.len(), data.tally.positions[0] as usize);
    let share = data.validation.len() as f64 / data.tally.positions[0] as f64;
    assert!((0.15..0.35).contains(&share), "{share}");

    // Every game is entirely in one of the two sets, in order.
    let (mut training, mut validation) = (&data.training[..], &data.validation[..]);
    for game in &games {
        let (positions, _) = pick(game, 0.0, &everything(), None).expect("legal moves");
        let side = if training.starts_with(&positions) { &mut training } else { &mut validation };
        *side = side.strip_prefix(&positions[..]).expect("the whole game");
    }
    assert!(training.is_empty() && validation.is_empty());

    let again = Dataset::read(&source(&path)).expect("games");
    assert_eq!(again.checksum(), data.checksum());
    let other = Dataset::read(&Source { seed: 2, ..source(&path) }).expect("games");
    assert_ne!(other.checksum(), data.checksum());
    let few = Dataset::read(&Source { limit: 300, ..source(&path) }).expect("games");
    assert!((300..400).contains(&(few.training.len() + few.validation.len())));
    let files = vec![path.clone(), path.clone()];
    assert_eq!(Dataset::read(&Source { limit: 300, files, ..source(&path) }).expect("games").tally, few.tally);
}

/// Otherwise a training that starts from the network of another would validate with positions that it has learnt.
#[test]
fn validation_games_do_not_depend_on_the_filter() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = write(directory.path(), Variant::Spartan, &random_games(200));
    let read = |filter| Dataset::read(&Source { filter, ..source(&path) }).expect("games");
    let (all, late) = (read(everything()), read(Filter { skip_plies: 2, ..everything() }));
    let bytes = |positions: &[Position]| positions.iter().map(Position::bytes).collect::<HashSet<_>>();
    let (training, validation) = (bytes(&all.training), bytes(&all.validation));
    assert!(late.training.len() < all.training.len() && late.validation.len() < all.validation.len());
    assert!(bytes(&late.training).is_subset(&training) && bytes(&late.validation).is_subset(&validation));
}

#[test]
fn validation_games_do_not_depend_on_the_order_of_files() {
    let (one, two) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let games = random_games(60);
    let files = [write(one.path(), Variant::Spartan, &games[..25]), write(two.path(), Variant::Spartan, &games[25..])];
    let validation = |files: Vec<PathBuf>| {
        let data = Dataset::read(&Source { files, ..source(one.path()) }).expect("games");
        let mut positions: Vec<_> = data.validation.iter().map(Position::bytes).collect();
        positions.sort_unstable();
        positions
    };
    let [first, second] = files;
    let expected = validation(vec![first.clone(), second.clone()]);
    assert!(!expected.is_empty());
    assert_eq!(validation(vec![second, first]), expected);
}

#[test]
fn a_validation_file_is_used_for_validation_only() {
    let (one, two) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let games = random_games(30);
    let training = write(one.path(), Variant::Spartan, &games[..20]);
    let validation = write(two.path(), Variant::Spartan, &games[20..]);
    let alone = |path| Dataset::read(&Source { validation: 0.0, ..source(path) }).expect("games").training;
    let files = vec![validation.clone()];
    // The limit is one of the training positions.
    for limit in [usize::MAX, 1] {
        let source = Source { validation: 0.0, validation_file: files.clone(), limit, ..source(&training) };
        let data = Dataset::read(&source).expect("games");
        assert_eq!(data.validation, alone(&validation));
        assert!(alone(&training).starts_with(&data.training) && !data.training.is_empty());
        assert_eq!(data.training.len() == alone(&training).len(), limit == usize::MAX);
    }
}

#[test]
fn several_files_are_concatenated() {
    let (one, two) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let games = random_games(20);
    let files =
        vec![write(one.path(), Variant::Spartan, &games[..7]), write(two.path(), Variant::Spartan, &games[7..])];
    let data = Dataset::read(&Source { files, ..source(one.path()) }).expect("games");
    let third = tempfile::tempdir().expect("a directory");
    let path = write(third.path(), Variant::Spartan, &games);
    assert_eq!(data.checksum(), Dataset::read(&source(&path)).expect("games").checksum());
}

#[test]
fn unusable_files_are_errors() {
    let directory = tempfile::tempdir().expect("a directory");
    let refused = |path: &Path| {
        let error = Dataset::read(&source(path)).expect_err("refused").message;
        let _ = fs::remove_file(path);
        assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
        error
    };
    assert!(!refused(&directory.path().join("none")).is_empty());
    let chess = write(directory.path(), Variant::Chess, &[random_record(Variant::Chess, 2)]);
    assert!(refused(&chess).contains("games of chess"));
    let mut illegal = random_games(1);
    illegal[0].plies[3] = illegal[0].plies[2];
    let illegal = write(directory.path(), Variant::Spartan, &illegal);
    assert!(refused(&illegal).contains("is not legal"));
    let text = directory.path().join("text");
    fs::write(&text, "nonsense\n").expect("a file");
    assert!(refused(&text).contains("it is not a file of game records"));
}

#[test]
fn complete_games_of_a_truncated_file_are_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = write(directory.path(), Variant::Spartan, &random_games(30));
    let mut bytes = fs::read(&path).expect("the file");
    let block = bytes.windows(4).position(|bytes| bytes == b"GAME").expect("a block");
    bytes.extend_from_within(block..block + 50);
    fs::write(&path, bytes).expect("a file");
    let data = Dataset::read(&source(&path)).expect("the whole games");
    assert_eq!(data.tally.games, 30);
}
