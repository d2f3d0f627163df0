//! Names and values of options: accepted values are in range and work.

#![no_main]

use agoge::protocol::options::{Id, Kind};
use agoge::protocol::{Engine, Setting};
use agoge_fuzz::{is_heavy, lines};
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;

thread_local! {
    /// One engine for all inputs, to test sequences of options.
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::new().expect("memory"));
}

fuzz_target!(|data: &[u8]| {
    for line in lines(data) {
        let (name, value) = line.split_once('=').unwrap_or((&line, ""));
        let setting = match Setting::parse(name, value) {
            Ok(setting) => setting,
            Err(error) => {
                assert!(error.to_string().len() < 400, "{error}");
                continue;
            }
        };
        let id = Id::from_name(name).expect("an accepted option has a name");
        if is_heavy(name, value) {
            continue;
        }
        ENGINE.with_borrow_mut(|engine| {
            engine.set_option(&setting).expect("memory");
            if let (Kind::Spin(range), Some(number)) = (id.kind(), engine.options().number(id)) {
                assert!((range.min..=range.max).contains(&number), "{name}={value}");
            }
            engine.options().settings();
        });
    }
});
