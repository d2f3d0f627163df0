//! Names and values of options: accepted values are in range and work.

#![no_main]

use agoge_core::engine::{Engine, EngineError};
use agoge_core::options::{Kind, Options};
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
        if is_heavy(name, value) {
            let _ = Options::default().set(name, value);
            continue;
        }
        ENGINE.with_borrow_mut(|engine| match engine.set_option(name, value) {
            Err(EngineError::Option(error)) => assert!(error.to_string().len() < 400, "{error}"),
            Err(error) => panic!("{name}={value}: {error}"),
            Ok(id) => {
                let text = engine.options().text(id);
                if let Kind::Spin(min, max) = id.kind() {
                    assert!(text.parse().is_ok_and(|number| (min..=max).contains(&number)), "{name}={value}");
                }
                engine.settings();
            }
        });
    }
});
