//! Lines of EPD: what is read survives a round trip, and damage costs no line before or after it.

#![no_main]

use agoge_core::board::Variant;
use agoge_core::notation::book::Book;
use agoge_core::notation::epd::Epd;
use agoge_core::text::decode;
use libfuzzer_sys::fuzz_target;

const WHOLE: &str = "2k5/8/8/8/8/8/8/4K2R w K - 3 40 ; bm Rh8 ; id \"a; b\"";

fuzz_target!(|data: &[u8]| {
    for variant in Variant::ALL {
        for (number, epd) in Epd::parse_file(data, variant).positions {
            let text = epd.to_string();
            let again = Epd::parse(&text, variant).map(|again| again.map(|again| again.to_string()));
            assert_eq!(again, Ok(Some(text)), "line {number}");
        }
    }
    let whole = Epd::parse(WHOLE, Variant::Spartan).expect("a position");
    let file = [WHOLE.as_bytes(), b"\n", data, b"\n", WHOLE.as_bytes(), b"\n"].concat();
    let read = Epd::parse_file(&file, Variant::Spartan);
    let ends = [read.positions.first(), read.positions.last()].map(|end| end.map(|(_, epd)| epd));
    assert_eq!(ends, [whole.as_ref(); 2]);
    assert!(read.errors.iter().all(|error| error.len() < 500), "{:?}", read.errors);
    let _ = Book::parse(&decode(data));
});
