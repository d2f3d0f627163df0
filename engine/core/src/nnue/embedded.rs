//! The network of the program.

use super::{Network, NetworkError};
use once_cell::sync::Lazy;
use std::sync::{Arc, Mutex, PoisonError};

/// The file of the embedded network: the one named by `AGOGE_EVALFILE` when the program was built, by default
/// `nets/agoge.nnue`, whose origin is in `nets/HISTORY.md`.
#[cfg(feature = "embedded-network")]
static FILE: &[u8] = include_bytes!(env!("AGOGE_EMBEDDED_NETWORK"));

static NETWORK: Lazy<Mutex<Option<Arc<Network>>>> = Lazy::new(|| {
    #[cfg(feature = "embedded-network")]
    let network = Network::from_bytes(FILE).ok().map(Arc::new);
    #[cfg(not(feature = "embedded-network"))]
    let network = None;
    Mutex::new(network)
});

/// The network that evaluates where no other one is chosen: the embedded one, or that of [`provide`]. `None` without
/// both, and if the program was built with a file that is not a network of this architecture, which the tests check.
pub fn embedded() -> Option<Arc<Network>> {
    NETWORK.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Takes the bytes of a network file in place of the embedded network, from now on. Programs without the feature
/// `embedded-network` have no other one.
///
/// # Errors
/// If they are not those of a network of this architecture, or damaged. The old network stays.
pub fn provide(bytes: &[u8]) -> Result<Arc<Network>, NetworkError> {
    let network = Arc::new(Network::from_bytes(bytes)?);
    *NETWORK.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&network));
    Ok(network)
}

#[cfg(all(test, feature = "embedded-network"))]
mod tests {
    use super::*;
    use crate::board::{Board, Variant};
    use crate::nnue::evaluate_full;

    #[test]
    fn the_program_has_a_network() {
        let network = embedded().expect("a network of this architecture");
        assert_eq!(Network::from_bytes(FILE).as_ref(), Ok(&*network));
        let start = evaluate_full(&network, &Board::start(Variant::Spartan));
        assert!((-100..=250).contains(&start), "{start}");
        assert_eq!(provide(&FILE[1..]), Err(NetworkError::Magic));
        assert_eq!(embedded().as_ref(), Some(&network));
        assert_eq!(provide(FILE).as_ref(), Ok(&network));
    }
}
