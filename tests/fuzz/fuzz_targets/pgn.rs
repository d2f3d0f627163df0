//! Games in PGN: what can be read and replayed of a game survives a round trip.

#![no_main]

use agoge_core::notation::pgn::{Reader, Replay, Writer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut reader = Reader::new(data);
    while let Some(game) = reader.next_game() {
        assert!(game.end <= data.len() && game.line > 0);
        let Ok(Replay { start, moves, .. }) = game.replay_legal(None) else { continue };
        let variant = start.variant();
        let mut writer = Writer::default();
        for (name, value) in &game.tags {
            writer.tag(name, value);
        }
        let text = writer.annotate(&game, &start, &moves, |writer, ply, [board, _]| {
            writer.comment("a }");
            writer.variation(board, "b", &moves[ply..=ply]);
        });
        let again = Reader::new(text.as_bytes()).next_game();
        let again = again.unwrap_or_else(|| panic!("nothing in {text}"));
        assert!(again.warnings.iter().all(|warning| !warning.cut), "{:?}: {text}", again.warnings);
        assert_eq!(again.variant(), game.variant(), "{text}");
        assert_eq!(again.replay(Some(variant)), Ok((start, moves)), "{text}");
    }
});
