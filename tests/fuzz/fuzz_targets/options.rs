//! Names and values of options: accepted values are in range and work.

#![no_main]

use agoge_core::options::{Kind, OptionValue};
use agoge::session::Engine;
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
        let (id, parsed) = match OptionValue::parse(name, value) {
            Ok(parsed) => parsed,
            Err(error) => {
                assert!(error.to_string().len() < 400, "{error}");
                continue;
            }
        };
        if is_heavy(name, value) {
            continue;
        }
        ENGINE.with_borrow_mut(|engine| {
            engine.set_option(id, &parsed).expect("memory");
            if let Kind::Spin(range) = id.kind() {
                assert!((range.min..=range.max).contains(&engine.options().number(id)), "{name}={value}");
            }
            engine.options().settings();
        });
    }
});
