//! What the page keeps: documents of JSON in files of the user's [data folder](DataFolder).
//!
//! | `ask` | Fields | Answer |
//! | --- | --- | --- |
//! | `store-list` | `kind` | `[{id, revision, changed, summary}]`, the newest change first |
//! | `store-get` | `kind`, `document` | `{revision, changed, value}`, or null if there is none |
//! | `store-put` | `kind`, `document`, `revision`, `summary`, `value` | `{revision}`, or `{conflict: {revision, changed, value}}` |
//! | `store-delete` | `kind`, `document` | true, also if there was none |
//!
//! The kinds are `game`, `study` and `profile`. A `document` is named by 16 hexadecimal digits, those of the profile
//! are `settings`, `puzzles`, `lessons` and `setups`. `changed` is in milliseconds since 1970.
//!
//! A page puts a document with the revision that it has read or written last, 0 for a new one. If the document has
//! another revision, it is answered as `conflict` (with the revision 0 and the value null if there is none) and stays
//! as it is; but if it has the same value, the page only repeats a question whose answer was lost, which succeeds.

use super::data::{self, DataFolder};
use super::report;
use crate::json::{MAX_DOCUMENT, MAX_DOCUMENTS, Number, failed, ok};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// How the names of questions about documents begin.
const PREFIX: &str = "store-";

/// The maximum size of a summary in bytes.
const MAX_SUMMARY: usize = 1 << 10;

/// The maximum size of a file: a document, its summary and two numbers.
const MAX_FILE: u64 = (MAX_DOCUMENT + MAX_SUMMARY + 1024) as u64;

/// The format of the files, a number that grows. Files of a later version of Agoge are left alone.
const FORMAT: u32 = 1;

/// A file that was changed this shortly before it was read may change again without a difference in its time.
const TIME_STEP: Duration = Duration::from_secs(2);

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Game,
    Study,
    Profile,
}

impl Kind {
    /// The name of the folder.
    fn folder(self) -> &'static str {
        match self {
            Self::Game => "games",
            Self::Study => "studies",
            Self::Profile => "profile",
        }
    }

    fn has(self, name: &str) -> bool {
        match self {
            Self::Game | Self::Study => data::is_hexadecimal(name, 16),
            Self::Profile => ["settings", "puzzles", "lessons", "setups"].contains(&name),
        }
    }
}

#[derive(Deserialize)]
struct List {
    kind: Kind,
}

/// `store-get` and `store-delete`.
#[derive(Deserialize)]
struct One<'a> {
    kind: Kind,
    #[serde(borrow)]
    document: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Put<'a> {
    kind: Kind,
    #[serde(borrow)]
    document: Cow<'a, str>,
    revision: u64,
    #[serde(borrow)]
    summary: &'a RawValue,
    #[serde(borrow)]
    value: &'a RawValue,
}

/// The text of a file. The values stay text, so that they may be nested deeply and come back as they were.
#[derive(Serialize)]
struct NewFile<'a> {
    format: u32,
    revision: u64,
    changed: u64,
    summary: &'a RawValue,
    value: &'a RawValue,
}

#[derive(Deserialize)]
struct Format {
    /// The first version wrote none.
    #[serde(default)]
    format: u32,
}

#[derive(Deserialize)]
struct StoredFile {
    revision: u64,
    changed: u64,
    summary: Box<RawValue>,
    value: Box<RawValue>,
}

/// A document as the page gets it.
#[derive(Serialize, Default)]
struct Document {
    revision: u64,
    changed: u64,
    value: Option<Box<RawValue>>,
}

impl From<StoredFile> for Document {
    fn from(file: StoredFile) -> Self {
        Self { revision: file.revision, changed: file.changed, value: Some(file.value) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Written {
    Revision(u64),
    Conflict(Document),
}

/// An entry of a list.
#[derive(Serialize, Clone)]
struct Entry {
    id: String,
    revision: u64,
    changed: u64,
    summary: Box<RawValue>,
}

/// What was read for a list, as long as the file does not change.
struct Cached {
    read: SystemTime,
    modified: SystemTime,
    size: u64,
    /// `None` if the file is damaged.
    entry: Option<Entry>,
}

impl Cached {
    fn is_valid(&self, data: &Metadata) -> bool {
        let is_settled = self.read.duration_since(self.modified).is_ok_and(|age| age > TIME_STEP);
        is_settled && self.size == data.len() && data.modified().is_ok_and(|time| time == self.modified)
    }
}

pub struct Store {
    /// Or why there is none.
    folder: Result<DataFolder, String>,
    cache: Mutex<HashMap<(Kind, String), Cached>>,
}

impl Store {
    pub fn new(folder: Result<DataFolder, String>) -> Self {
        if let Ok(folder) = &folder {
            data::delete_leftovers(folder.path());
            for kind in [Kind::Game, Kind::Study, Kind::Profile] {
                data::delete_leftovers(&folder.path().join(kind.folder()));
            }
        }
        Self { folder, cache: Mutex::default() }
    }

    /// The folder, or why there is none.
    pub fn folder(&self) -> Result<&DataFolder, &str> {
        self.folder.as_ref().map_err(String::as_str)
    }

    /// Answers a question about documents; `None` if it is about something else. Questions of several threads and
    /// servers at once are answered as if one came after the other.
    pub fn answer(&self, question: &str) -> Option<String> {
        let name = name(question)?;
        let action = name.strip_prefix(PREFIX)?;
        let Number { id } = serde_json::from_str(question).ok()?;
        let answered = match action {
            "list" => parse(question).and_then(|List { kind }| ok(&id, self.list(kind)?)),
            "get" => parse(question).and_then(|one| ok(&id, self.get(&one)?)),
            "put" => parse(question).and_then(|put| ok(&id, self.put(&put)?)),
            "delete" => parse(question).and_then(|one| ok(&id, self.delete(&one)?)),
            _ => Err(format!("not a valid question: unknown name '{name}'")),
        };
        Some(answered.unwrap_or_else(|error| failed(&id, &error)))
    }

    /// The path of a document, whose name is checked: the page must reach no other file.
    fn path(&self, kind: Kind, name: &str) -> Result<PathBuf, String> {
        if !kind.has(name) {
            return Err("This is not the name of a document.".to_owned());
        }
        Ok(self.folder()?.path().join(kind.folder()).join(name).with_extension("json"))
    }

    fn get(&self, one: &One) -> Result<Option<Document>, String> {
        let path = self.path(one.kind, &one.document)?;
        let file = read(&path).map_err(|error| format!("{} cannot be read: {error}.", path.display()))?;
        Ok(file.map(Document::from))
    }

    fn put(&self, put: &Put) -> Result<Written, String> {
        let path = self.path(put.kind, &put.document)?;
        for (what, value, max) in [("document", put.value, MAX_DOCUMENT), ("summary", put.summary, MAX_SUMMARY)] {
            let size = value.get().len();
            if size > max {
                return Err(format!("The {what} is too large to be saved: {size} bytes, and the limit is {max}."));
            }
            if !value.get().starts_with('{') {
                return Err(format!("The {what} is not an object."));
            }
        }
        let folder = self.folder()?;
        self.write(put, folder, &path)
            .map_err(|error| format!("Nothing can be saved in {}: {error}.", folder.path().display()))
    }

    fn write(&self, put: &Put, folder: &DataFolder, path: &Path) -> io::Result<Written> {
        let changed = now();
        // A document that is deleted and made anew must not have an old revision.
        let revision = if put.revision == 0 { changed.max(1) } else { put.revision.saturating_add(1) };
        let new = NewFile { format: FORMAT, revision, changed, summary: put.summary, value: put.value };
        let mut bytes = serde_json::to_vec(&new)?;
        bytes.push(b'\n');
        folder.create(put.kind.folder())?;
        let parent = folder.path().join(put.kind.folder());
        // Before the lock, because the disk may be slow.
        let file = data::write(&parent, &bytes)?;
        let _lock = folder.lock()?;
        let current = match read(path) {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                report_damage(path, &error);
                data::set_aside(path)?;
                None
            }
            result => result?,
        };
        if current.as_ref().map_or(0, |current| current.revision) != put.revision {
            return Ok(match current {
                Some(current) if current.value.get() == put.value.get() => Written::Revision(current.revision),
                current => Written::Conflict(current.map(Document::from).unwrap_or_default()),
            });
        }
        if current.is_none() && names(&parent, put.kind)?.len() >= MAX_DOCUMENTS {
            let error = format!("there are already {MAX_DOCUMENTS} {}; delete some first", put.kind.folder());
            return Err(io::Error::new(ErrorKind::QuotaExceeded, error));
        }
        data::replace(file, path)?;
        Ok(Written::Revision(revision))
    }

    fn delete(&self, one: &One) -> Result<bool, String> {
        let path = self.path(one.kind, &one.document)?;
        let folder = self.folder()?;
        let delete = || {
            // Without a folder there is nothing to delete, and none need be made.
            if !path.exists() {
                return Ok(());
            }
            let _lock = folder.lock()?;
            data::delete(&path)
        };
        delete().map_err(|error| format!("{} cannot be deleted: {error}.", path.display()))?;
        Ok(true)
    }

    fn list(&self, kind: Kind) -> Result<Vec<Entry>, String> {
        let folder = self.folder()?.path().join(kind.folder());
        let names = names(&folder, kind)
            .map_err(|error| format!("The folder {} cannot be read: {error}.", folder.display()))?;
        let mut entries: Vec<_> = names.iter().filter_map(|name| self.entry(kind, &folder, name)).collect();
        entries.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.id.cmp(&b.id)));
        self.cache().retain(|(other, name), _| *other != kind || names.contains(name));
        Ok(entries)
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<(Kind, String), Cached>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry of a list, unless the file is damaged, which is reported once.
    fn entry(&self, kind: Kind, folder: &Path, name: &str) -> Option<Entry> {
        let path = folder.join(name).with_extension("json");
        let time = SystemTime::now();
        let data = fs::metadata(&path).ok()?;
        let key = (kind, name.to_owned());
        if let Some(cached) = self.cache().get(&key).filter(|cached| cached.is_valid(&data)) {
            return cached.entry.clone();
        }
        let entry = match read(&path) {
            Ok(file) => file.map(|StoredFile { revision, changed, summary, .. }| Entry {
                id: name.to_owned(),
                revision,
                changed,
                summary,
            }),
            Err(error) => {
                if self.cache().get(&key).is_none_or(|cached| cached.entry.is_some()) {
                    report_damage(&path, &error);
                }
                None
            }
        };
        let modified = data.modified().unwrap_or(time);
        let cached = Cached { read: time, modified, size: data.len(), entry: entry.clone() };
        self.cache().insert(key, cached);
        entry
    }
}

/// Whether a question is for [`Store::answer`].
pub fn is_question(question: &str) -> bool {
    name(question).is_some_and(|name| name.starts_with(PREFIX))
}

/// The name of a question.
fn name(question: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Name<'a> {
        #[serde(borrow)]
        ask: Cow<'a, str>,
    }
    serde_json::from_str(question).ok().map(|Name { ask }| ask)
}

fn parse<'a, T: Deserialize<'a>>(question: &'a str) -> Result<T, String> {
    serde_json::from_str(question).map_err(|error| format!("not a valid question: {error}"))
}

/// Reads a document.
///
/// # Errors
/// [`ErrorKind::InvalidData`] if the file is damaged; [`ErrorKind::Unsupported`] if a later version has written it.
fn read(path: &Path) -> io::Result<Option<StoredFile>> {
    let invalid = |error| io::Error::new(ErrorKind::InvalidData, error);
    let Some(bytes) = data::read(path, MAX_FILE)? else { return Ok(None) };
    let Format { format } = serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
    if format > FORMAT {
        return Err(io::Error::new(ErrorKind::Unsupported, "a later version of Agoge has written this document"));
    }
    let file: StoredFile = serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
    let is_object = |value: &RawValue, max| value.get().starts_with('{') && value.get().len() <= max;
    if file.revision == 0 || !is_object(&file.summary, MAX_SUMMARY) || !is_object(&file.value, MAX_DOCUMENT) {
        return Err(invalid("not a document of Agoge".to_owned()));
    }
    Ok(Some(file))
}

/// The names of the documents in a folder.
fn names(folder: &Path, kind: Kind) -> io::Result<HashSet<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HashSet::new()),
        result => result?,
    };
    let mut names = HashSet::new();
    for entry in entries {
        let path = PathBuf::from(entry?.file_name());
        let name = path.file_stem().and_then(OsStr::to_str).filter(|name| kind.has(name));
        names.extend(name.filter(|_| path.extension() == Some(OsStr::new("json"))).map(str::to_owned));
    }
    Ok(names)
}

fn report_damage(path: &Path, error: &io::Error) {
    report(&format!("{} cannot be read: {error}", path.display()));
}

/// The time in milliseconds since 1970.
fn now() -> u64 {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
