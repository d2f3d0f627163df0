//! The user's endgame tables: where they are, and opening them.

use agoge_core::tables::Tables;
use agoge_web::server;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// The help of an option for [`open`].
pub const OPTION_HELP: &str =
    "Folders of endgame tables, separated as in PATH, or none [default: those of agoge tables]";

/// The value of an option for [`open`] that means no tables.
pub const NONE: &str = "none";

/// The folder in which `agoge tables` makes tables. It need not exist.
///
/// # Errors
/// If the system has no such folder, as a sentence.
pub fn folder() -> Result<PathBuf, String> {
    server::tables_folder(None)
}

/// Creates the folder of [`folder`] if it is missing.
///
/// # Errors
/// If it cannot be created, or the system has no such folder.
pub fn create_folder() -> Result<PathBuf, String> {
    server::create_tables_folder(None)
}

/// Opens the tables of some folders, separated as in `PATH`, or none for `none`. By default those of [`folder`], if
/// there are any; damaged ones are then left out and reported on standard error.
///
/// # Errors
/// If a file or one of the given folders cannot be used; the error is a message for the user.
pub fn open(folders: Option<&OsStr>) -> Result<Tables, String> {
    match folders {
        Some(folders) if folders == NONE => Ok(Tables::default()),
        Some(folders) => Tables::open_all(folders).map_err(|problem| format!("unusable endgame table: {problem}")),
        None => {
            let folder = folder().ok().filter(|folder| folder.is_dir());
            let (tables, problems) = Tables::open_folders(folder);
            for problem in problems {
                // Standard error may be closed.
                let message = format!("agoge: unusable endgame table: {problem}; 'agoge tables' makes it anew");
                let _ = writeln!(io::stderr(), "{message}");
            }
            Ok(tables)
        }
    }
}
