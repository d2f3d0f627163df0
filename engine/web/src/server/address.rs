//! The port and the token of the server. Both are kept in the data folder, so that an address stays valid.

use super::data::{self, DataFolder};
use super::report;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

/// The port of the first start, unless another program has it; otherwise one of the next.
const PORT: u16 = 8624;

/// The number of ports that are tried before any free one.
const PORTS: u16 = 10;

/// The length of a token: 128 bits as hexadecimal digits.
const TOKEN: usize = 32;

/// The maximum size of the file in bytes.
const MAX_SIZE: u64 = 4096;

/// What the file has.
#[derive(Serialize, Deserialize)]
struct Kept {
    token: String,
    /// The port of a start that named none.
    port: Option<u16>,
}

/// Where the server listens.
pub struct Address {
    pub listener: TcpListener,
    pub token: String,
    /// Locked while the server runs, if it is the only one that uses the data folder.
    pub running: Option<File>,
    /// Whether there is a data folder that can be used.
    pub has_folder: bool,
}

impl Address {
    /// Listens on the given port, otherwise on the one that is kept, otherwise on a new one.
    ///
    /// If another program has the kept port, the browser may have sent it the token, so both are made anew. Another
    /// server of the same folder keeps both to itself; this one then has another port.
    ///
    /// # Errors
    /// If the given port is not free, or the system gives no random numbers.
    pub fn claim(folder: Result<&DataFolder, &str>, port: Option<u16>) -> Result<Self, String> {
        let folder = match folder {
            Ok(folder) => folder,
            Err(error) => {
                report(error);
                return Self::new(None, port);
            }
        };
        // Two that start at once must not both make a token.
        match folder.lock() {
            Ok(_lock) => Self::new(Some(folder), port),
            Err(error) => {
                report(&format!(
                    "the folder {} cannot be used ({error}); nothing is saved, and the address is new",
                    folder.path().display()
                ));
                Self::new(None, port)
            }
        }
    }

    fn new(folder: Option<&DataFolder>, port: Option<u16>) -> Result<Self, String> {
        let running = folder.and_then(|folder| folder.try_lock("running").ok().flatten());
        let kept = folder.and_then(|folder| read(&folder.path().join("server.json")));
        let kept_port = kept.as_ref().and_then(|kept| kept.port);
        let (listener, has_kept_port) = listen(port, kept_port)?;
        let actual = listener.local_addr().map_err(|error| format!("the server's address: {error}"))?.port();
        let is_stolen = running.is_some() && port.is_none() && kept_port.is_some() && !has_kept_port;
        if is_stolen {
            report("another program is using the previous port, so the address has changed");
        }
        let token = match &kept {
            Some(kept) if !is_stolen => kept.token.clone(),
            _ => new_token().map_err(|error| format!("no random numbers: {error}"))?,
        };
        let new = Kept { token: token.clone(), port: if port.is_none() { Some(actual) } else { kept_port } };
        let is_same = kept.is_some_and(|kept| kept.token == new.token && kept.port == new.port);
        if let Some(folder) = folder.filter(|_| running.is_some() && !is_same)
            && let Err(error) = write(folder, &new)
        {
            report(&format!("the address cannot be kept in {}: {error}", folder.path().display()));
        }
        Ok(Self { listener, token, running, has_folder: folder.is_some() })
    }
}

/// Listens on the given port or, if none is given, on the kept or another one. Also returns whether it is the kept one.
fn listen(port: Option<u16>, kept: Option<u16>) -> Result<(TcpListener, bool), String> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    if let Some(port) = port {
        return bind(port).map(|listener| (listener, false)).map_err(|error| format!("port {port}: {error}"));
    }
    if let Some(listener) = kept.and_then(|port| bind(port).ok()) {
        return Ok((listener, true));
    }
    let usual = (PORT..PORT + PORTS).find_map(|port| bind(port).ok());
    let listener = usual.map_or_else(|| bind(0), Ok).map_err(|error| format!("no port is free: {error}"))?;
    Ok((listener, false))
}

/// Reads the file. `None` if it is missing or must not be used, which is reported.
fn read(path: &Path) -> Option<Kept> {
    let reason = match data::read(path, MAX_SIZE) {
        Ok(None) => return None,
        Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
            Ok(kept) if !is_valid(&kept) => "the token or the port is not valid".to_owned(),
            Ok(_) if is_public(path) => "other users may have read the token".to_owned(),
            Ok(kept) => return Some(kept),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    report(&format!("{} cannot be used, so the address is new: {reason}", path.display()));
    None
}

fn is_valid(kept: &Kept) -> bool {
    data::is_hexadecimal(&kept.token, TOKEN) && kept.port != Some(0)
}

#[cfg(unix)]
fn is_public(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
}

/// The profile of the user is private on Windows.
#[cfg(not(unix))]
fn is_public(_: &Path) -> bool {
    false
}

fn write(folder: &DataFolder, kept: &Kept) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(kept).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    bytes.push(b'\n');
    data::replace(data::write(folder.path(), &bytes)?, &folder.path().join("server.json"))
}

fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; TOKEN / 2];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
