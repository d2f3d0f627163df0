//! What `agoge gui` keeps in its data folder, with the real binary.

use crate::common::cases;
use crate::common::client::{BINARY, TIMEOUT};
use crate::gui::{Page, Server, status};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ID: &str = "0123456789abcdef";

fn temporary_folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["gui", "--no-open", "--data"]).arg(folder).args(arguments);
    command
}

/// Starts a server at any port.
fn start(folder: &Path) -> Server {
    Server::run(&mut command(folder, &["--port=0"]))
}

/// Starts a server whose messages go to a file.
fn start_with_log(folder: &Path, arguments: &[&str], log: &Path) -> Server {
    Server::run(command(folder, arguments).stderr(fs::File::create(log).expect("a file")))
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn put(page: &mut Page, kind: &str, name: &str, revision: u64, value: &Value) -> Value {
    let summary = json!({"title": "A game"});
    page.ask(&json!({"ask": "store-put", "kind": kind, "document": name, "revision": revision, "summary": summary, "value": value}))
}

/// Puts a document and returns its revision.
fn put_new(page: &mut Page, kind: &str, name: &str, revision: u64, value: &Value) -> u64 {
    let answer = put(page, kind, name, revision, value);
    answer["ok"]["revision"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

fn ask(page: &mut Page, ask: &str, kind: &str, name: &str) -> Value {
    page.ask(&json!({"ask": ask, "kind": kind, "document": name}))
}

fn get(page: &mut Page, kind: &str, name: &str) -> Value {
    ask(page, "store-get", kind, name)["ok"].clone()
}

fn list(page: &mut Page, kind: &str) -> Vec<Value> {
    let answer = page.ask(&json!({"ask": "store-list", "kind": kind}));
    answer["ok"].as_array().cloned().unwrap_or_else(|| panic!("{answer}"))
}

/// The error of an answer, which must be a whole sentence.
fn error_of(answer: &Value) -> &str {
    let error = answer["error"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(error.starts_with(|first: char| !first.is_ascii_lowercase()) && error.ends_with('.'), "{error}");
    error
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn documents_are_kept_over_restarts() {
    let folder = temporary_folder();
    let data = folder.path().join("a/b");
    let value = json!({"moves": ["e2e4", "b7d5"], "comment": "a \u{1f600} “comment”\n", "clock": 0.1});
    let documents = [
        ("game", ID),
        ("study", ID),
        ("profile", "settings"),
        ("profile", "puzzles"),
        ("profile", "lessons"),
        ("profile", "setups"),
    ];
    let mut revisions = HashMap::new();
    for round in 0..3 {
        let server = start(&data);
        let mut page = server.page();
        for (kind, name) in documents {
            let revision = revisions.get(&(kind, name)).copied().unwrap_or(0);
            let known = get(&mut page, kind, name);
            assert_eq!(known["revision"], if round == 0 { Value::Null } else { json!(revision) });
            assert!(
                round == 0 || known["value"] == value && known["changed"].as_u64() > Some(1_600_000_000_000),
                "{known}"
            );
            let next = put_new(&mut page, kind, name, revision, &value);
            assert!(next > revision);
            revisions.insert((kind, name), next);
        }
        // The newest first.
        put_new(&mut page, "game", &format!("{round:016x}"), 0, &value);
        let games = list(&mut page, "game");
        assert_eq!(games.len(), 2 + round);
        assert_eq!(
            (&games[0]["id"], &games[0]["summary"]),
            (&json!(format!("{round:016x}")), &json!({"title": "A game"}))
        );
        assert!(games.is_sorted_by(|a, b| a["changed"].as_u64() >= b["changed"].as_u64()), "{games:?}");
        assert_eq!(list(&mut page, "study").len(), 1);
        assert_eq!(list(&mut page, "profile").len(), 4);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        for name in ["a", "a/b", "a/b/games", "a/b/studies", "a/b/profile"] {
            assert_eq!(mode(&folder.path().join(name)), 0o700, "{name}");
        }
        for path in files(&data) {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
}

#[test]
fn a_changed_document_is_not_overwritten() {
    let folder = temporary_folder();
    let server = start(folder.path());
    let (mut first, mut second) = (server.page(), server.page());
    let (old, new) = (json!({"move": 1}), json!({"move": 2}));
    let revision = put_new(&mut first, "game", ID, 0, &old);
    let changed = put_new(&mut second, "game", ID, revision, &new);
    for revision in [0, revision, changed + 1, u64::MAX] {
        let answer = put(&mut first, "game", ID, revision, &old);
        let conflict = &answer["ok"]["conflict"];
        assert!(
            conflict["revision"] == changed && conflict["value"] == new && conflict["changed"].is_u64(),
            "{answer}"
        );
        // The answer to the right question was lost, and it is repeated.
        assert_eq!(put_new(&mut second, "game", ID, revision, &new), changed);
    }
    assert_eq!(get(&mut first, "game", ID)["value"], new);
    // A study with the same id is another document.
    assert_eq!(get(&mut first, "study", ID), Value::Null);
    // One that is deleted does not come back by itself, not even if it is made anew.
    for _ in 0..2 {
        assert_eq!(ask(&mut second, "store-delete", "game", ID), json!({"id": null, "ok": true}));
        assert_eq!(get(&mut first, "game", ID), Value::Null);
        assert!(list(&mut first, "game").is_empty());
        let answer = put(&mut first, "game", ID, changed, &old);
        assert_eq!(answer["ok"]["conflict"], json!({"revision": 0, "changed": 0, "value": null}));
    }
    std::thread::sleep(Duration::from_millis(5));
    let anew = put_new(&mut second, "game", ID, 0, &new);
    assert!(anew > changed);
    assert_eq!(put(&mut first, "game", ID, changed, &old)["ok"]["conflict"]["revision"], anew);
}

#[test]
fn bad_names_and_documents_are_refused() {
    let folder = temporary_folder();
    let data = folder.path().join("data");
    let server = start(&data);
    let mut page = server.page();
    let value = json!({"x": 1});
    let long = "a".repeat(1000);
    let names = [
        "",
        ".",
        "..",
        "../../0123456789a",
        "0123456789abcde/",
        "0123456789ABCDEF",
        "0123456789abcdeg",
        "settings",
        &long,
    ];
    let names = names.into_iter().chain([
        "/etc/passwd",
        "..\\0123456789abc",
        "0123456789abcde\0",
        "é123456789abcde",
        "C:34567890abcdef",
    ]);
    for name in names {
        for kind in ["game", "study"] {
            assert_eq!(
                error_of(&put(&mut page, kind, name, 0, &value)),
                "This is not the name of a document.",
                "{name}"
            );
            error_of(&ask(&mut page, "store-get", kind, name));
            error_of(&ask(&mut page, "store-delete", kind, name));
        }
    }
    for name in [ID, "server", "../server", "settings.json", "Settings", "lock"] {
        error_of(&put(&mut page, "profile", name, 0, &value));
        error_of(&ask(&mut page, "store-delete", "profile", name));
    }
    for question in [
        json!({"ask": "store-list"}),
        json!({"ask": "store-list", "kind": "../games"}),
        json!({"ask": "store-get", "kind": "game"}),
        json!({"ask": "store-get", "kind": "game", "document": 7}),
        json!({"ask": "store-put", "kind": "game", "document": ID, "revision": -1, "summary": {}, "value": {}}),
        json!({"ask": "store-put", "kind": "game", "document": ID, "revision": 0, "summary": {}}),
        json!({"ask": "store-steal", "kind": "game"}),
    ] {
        let answer = page.ask(&question);
        assert!(answer["error"].as_str().is_some_and(|error| error.starts_with("not a valid question")), "{answer}");
    }
    for value in [json!(null), json!("text"), json!([1]), json!(3)] {
        error_of(&put(&mut page, "game", ID, 0, &value));
    }
    let own = ["lock", "running"].map(|name| data.join(name));
    assert!(
        files(folder.path()).iter().all(|path| own.contains(path) || path.ends_with("server.json")),
        "{:?}",
        files(&data)
    );
    page.send("isready");
    page.until("readyok");
}

#[test]
fn documents_have_limits() {
    let folder = temporary_folder();
    let server = start(folder.path());
    let mut page = server.page();
    let limits = page.ask(&json!({"ask": "limits"}))["ok"].clone();
    let limit = |name: &str| limits[name].as_u64().expect("a number") as usize;
    let name = |number: u64| format!("{number:016x}");
    let of_size = |size: usize| json!({"text": "x".repeat(size - json!({"text": ""}).to_string().len())});
    let largest = of_size(limit("document"));
    let revision = put_new(&mut page, "study", ID, 0, &largest);
    let answer = put(&mut page, "study", ID, revision, &of_size(limit("document") + 1));
    assert_eq!(error_of(&answer), "The document is too large to be saved: 2097153 bytes, and the limit is 2097152.");
    assert!(get(&mut page, "study", ID)["value"] == largest);
    let mut put_summary = |summary: Value| {
        let question =
            json!({"ask": "store-put", "kind": "game", "document": ID, "revision": 0, "summary": summary, "value": {}});
        page.ask(&question)
    };
    error_of(&put_summary(of_size(1025)));
    error_of(&put_summary(json!("text")));
    assert!(put_summary(of_size(1024))["ok"]["revision"].is_u64());
    // Variations may be nested deeply.
    let deep = format!("{{\"tree\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let question =
        json!({"ask": "store-put", "kind": "game", "document": name(3), "revision": 0, "summary": {}, "value": 0});
    page.send(&question.to_string().replace("\"value\":0", &format!("\"value\":{deep}")));
    assert!(page.until("{").contains("\"ok\":{\"revision\":"));
    page.send(&json!({"ask": "store-get", "kind": "game", "document": name(3)}).to_string());
    assert!(page.until("{").contains(&deep));
    // All files but one, then that one and another. The busier the machine, the longer Wine takes to open a file.
    page.be_patient();
    let profile = put_new(&mut page, "profile", "settings", 0, &json!({}));
    let text = text_of(&folder.path().join("profile/settings.json"));
    let games = folder.path().join("games");
    for number in list(&mut page, "game").len()..limit("documents") - 1 {
        fs::write(games.join(format!("{:016x}.json", 1000 + number)), &text).expect("a file");
    }
    let last = put_new(&mut page, "game", &name(1), 0, &json!({}));
    assert!(
        error_of(&put(&mut page, "game", &name(2), 0, &json!({}))).contains("already 10000 games; delete some first")
    );
    let games = list(&mut page, "game");
    assert_eq!((games.len(), &games[0]["id"]), (limit("documents"), &json!(name(1))));
    put_new(&mut page, "game", &name(1), last, &json!({"x": 1}));
    put_new(&mut page, "profile", "settings", profile, &json!({"x": 1}));
    ask(&mut page, "store-delete", "game", &name(1001));
    ask(&mut page, "store-delete", "game", games[9]["id"].as_str().expect("text"));
    put_new(&mut page, "game", &name(2), 0, &json!({}));
    // A change by another program is noticed.
    fs::remove_file(folder.path().join("games").join(format!("{}.json", name(2)))).expect("deleted");
    assert!(list(&mut page, "game").iter().all(|game| game["id"] != name(2)));
}

/// A server with one game, [`ID`], and what it has written.
struct Kept {
    page: Page,
    log: PathBuf,
    revision: u64,
    /// The file of the game.
    path: PathBuf,
    _server: Server,
    _folder: TempDir,
}

impl Kept {
    fn start() -> Self {
        let folder = temporary_folder();
        let log = folder.path().join("log");
        let data = folder.path().join("data");
        let server = start_with_log(&data, &["--port=0"], &log);
        let mut page = server.page();
        let revision = put_new(&mut page, "game", ID, 0, &json!({"x": 1}));
        let path = data.join("games").join(ID).with_extension("json");
        Self { page, log, revision, path, _server: server, _folder: folder }
    }
}

#[test]
fn damaged_files_are_reported_and_left() {
    let mut kept = Kept::start();
    let Kept { page, log, revision, path, .. } = &mut kept;
    let whole = text_of(path);
    let other = path.with_file_name("0000000000000000.json");
    fs::write(&other, &whole).expect("a file");
    let empty = json!({"revision": 1, "changed": 1, "summary": {}}).to_string();
    let damaged = [&whole[..whole.len() / 2], "", "\0\0\0\0", "[]", "{}", &empty, &format!("{whole}{whole}")];
    for (number, text) in damaged.into_iter().enumerate() {
        fs::write(&*path, text).expect("a file");
        for _ in 0..2 {
            let ids: Vec<_> = list(page, "game").into_iter().map(|game| game["id"].clone()).collect();
            assert_eq!(ids, ["0000000000000000"], "{text:?}");
            assert!(error_of(&ask(page, "store-get", "game", ID)).contains("cannot be read"), "{text:?}");
        }
        assert_eq!(text_of(path), text);
        assert_eq!(text_of(log).matches(&format!("{ID}.json cannot be read")).count(), 1 + 2 * number, "{text:?}");
        // A new version takes its place, and the damaged one is kept.
        assert_eq!(put(page, "game", ID, *revision, &json!({"x": 2}))["ok"]["conflict"]["revision"], 0);
        put_new(page, "game", ID, 0, &json!({"x": 2}));
        let aside = if number == 0 { "damaged".to_owned() } else { format!("damaged-{}", number + 1) };
        assert_eq!(text_of(&path.with_extension(aside)), text);
        assert_eq!(list(page, "game").len(), 2);
    }
}

#[test]
fn documents_of_a_later_version_are_left_alone() {
    let mut kept = Kept::start();
    let Kept { page, log, revision, path, .. } = &mut kept;
    // The first version wrote no format.
    let first = text_of(path).replace("\"format\":1,", "");
    assert!(!first.contains("format"));
    fs::write(&*path, first).expect("a file");
    let revision = put_new(page, "game", ID, *revision, &json!({"x": 2}));
    let later = json!({"format": 2, "revision": revision, "more": []}).to_string();
    fs::write(&*path, &later).expect("a file");
    for answer in [ask(page, "store-get", "game", ID), put(page, "game", ID, revision, &json!({"x": 3}))] {
        assert!(error_of(&answer).contains("a later version of Agoge has written this document"), "{answer}");
    }
    assert!(list(page, "game").is_empty());
    assert!(text_of(log).contains("a later version"), "{}", text_of(log));
    assert_eq!((files(path.parent().expect("a folder")).len(), text_of(path)), (1, later));
}

/// Another program has the lock, as if the disk was slow. The rules are asked at every move.
#[test]
fn a_slow_disk_does_not_delay_the_rules() {
    let folder = temporary_folder();
    let server = start(folder.path());
    let mut page = server.page();
    let question = |document: &str| json!({"id": document, "ask": "store-put", "kind": "game", "document": document, "revision": 0, "summary": {}, "value": {}});
    let lock = fs::File::options().write(true).open(folder.path().join("lock")).expect("a file");
    lock.lock().expect("locked");
    page.send(&question(ID).to_string());
    page.send(&question("0000000000000001").to_string());
    let answer = page.ask(&json!({"id": "rules", "ask": "limits"}));
    assert_eq!(answer["id"], "rules", "{answer}");
    // What a page has written before it was closed is written.
    page.0.close(None).expect("closed");
    let _ = page.0.flush();
    std::thread::sleep(Duration::from_millis(300));
    drop((page, lock));
    let mut other = server.page();
    let end = Instant::now() + TIMEOUT;
    while list(&mut other, "game").len() < 2 {
        assert!(Instant::now() < end, "the documents are not written");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Adds one to the number in a document until it succeeds; returns how often another page had changed it.
fn add_one(page: &mut Page) -> u32 {
    for conflicts in 0.. {
        let known = get(page, "profile", "puzzles");
        let number = known["value"]["number"].as_u64().unwrap_or(0);
        // All values differ, so that none is taken for a repeated question.
        let value = json!({"number": number + 1, "by": format!("{:p} {conflicts}", page)});
        if put(page, "profile", "puzzles", known["revision"].as_u64().unwrap_or(0), &value)["ok"]["revision"].is_u64() {
            return conflicts;
        }
    }
    unreachable!()
}

#[test]
fn two_servers_at_once_lose_no_change() {
    let folder = temporary_folder();
    let servers = [start(folder.path()), start(folder.path())];
    let count = cases(200, 40) as u64;
    let mut pages: Vec<Page> = servers.iter().flat_map(|server| [server.page(), server.page()]).collect();
    let conflicts: u32 = std::thread::scope(|scope| {
        let run = |page: &mut Page| (0..count).map(|_| add_one(page)).sum::<u32>();
        let threads: Vec<_> = pages.iter_mut().map(|page| scope.spawn(move || run(page))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no error")).sum()
    });
    assert_eq!(get(&mut pages[0], "profile", "puzzles")["value"]["number"], 4 * count, "{conflicts} conflicts");
    assert!(conflicts > 0);
}

/// A page that puts ever new versions of a document until its server is killed.
fn write_until_killed(mut page: Page, confirmed: &AtomicU64, asked: &AtomicU64) {
    let padding = "x".repeat(100_000);
    let mut revision = get(&mut page, "game", ID)["revision"].as_u64().unwrap_or(0);
    loop {
        let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
        let value = json!({"number": number, "padding": padding, "again": number});
        let question = json!({"ask": "store-put", "kind": "game", "document": ID, "revision": revision, "summary": {}, "value": value});
        if page.0.send(question.to_string().into()).is_err() {
            return;
        }
        let answer = loop {
            match page.0.read() {
                Ok(message) if message.to_text().is_ok_and(|text| text.starts_with('{')) => break message,
                Ok(_) => {}
                Err(_) => return,
            }
        };
        let answer: Value = serde_json::from_str(answer.to_text().expect("text")).expect("JSON");
        revision = answer["ok"]["revision"].as_u64().unwrap_or_else(|| panic!("{answer}"));
        confirmed.store(number, Ordering::SeqCst);
    }
}

#[test]
fn a_killed_server_leaves_whole_documents() {
    let folder = temporary_folder();
    let (confirmed, asked) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut random = 1_u64;
    for round in 0..cases(200, 25) {
        let mut server = start(folder.path());
        let mut page = server.page();
        if round > 0 {
            let value = get(&mut page, "game", ID)["value"].clone();
            let number = value["number"].as_u64().expect("a number");
            // The answer to the last question may not have arrived.
            assert!(number >= confirmed.load(Ordering::SeqCst) && number <= asked.load(Ordering::SeqCst), "{number}");
            assert_eq!((&value["again"], value["padding"].as_str().map(str::len)), (&json!(number), Some(100_000)));
            assert_eq!(list(&mut page, "game").len(), 1);
        }
        let writer = std::thread::spawn({
            let (confirmed, asked) = (Arc::clone(&confirmed), Arc::clone(&asked));
            move || write_until_killed(page, &confirmed, &asked)
        });
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let before = confirmed.load(Ordering::SeqCst);
        let end = Instant::now() + TIMEOUT;
        while confirmed.load(Ordering::SeqCst) == before && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random >> 48));
        server.process.kill().expect("killed");
        writer.join().expect("no error");
    }
    assert!(confirmed.load(Ordering::SeqCst) >= cases(200, 25) as u64);
}

#[cfg(unix)]
#[test]
fn without_a_folder_the_board_still_works() {
    let folder = temporary_folder();
    let log = folder.path().join("log");
    // Neither root nor anybody else can make a folder there.
    let server = start_with_log(Path::new("/dev/null/agoge"), &["--port=0"], &log);
    assert!(text_of(&log).contains("the folder /dev/null/agoge cannot be used"), "{}", text_of(&log));
    let mut page = server.page();
    assert!(
        error_of(&put(&mut page, "game", ID, 0, &json!({}))).starts_with("Nothing can be saved in /dev/null/agoge: ")
    );
    error_of(&ask(&mut page, "store-get", "game", ID));
    error_of(&page.ask(&json!({"ask": "store-list", "kind": "game"})));
    page.send("go depth 2");
    page.until("bestmove");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_keeps_its_documents() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = temporary_folder();
    let server = start(folder.path());
    let mut page = server.page();
    let old = json!({"x": 1});
    let revision = put_new(&mut page, "game", ID, 0, &old);
    let mut check = |what: &str| {
        let answer = put(&mut page, "game", ID, revision, &json!({"x": 2}));
        assert!(error_of(&answer).starts_with("Nothing can be saved in "), "{what}: {answer}");
        error_of(&ask(&mut page, "store-delete", "game", ID));
        assert_eq!(get(&mut page, "game", ID)["value"], old, "{what}");
        assert_eq!(list(&mut page, "game").len(), 1, "{what}");
    };
    let lock = folder.path().join("lock");
    fs::remove_file(&lock).expect("deleted");
    fs::create_dir(&lock).expect("a folder");
    check("the lock is a folder");
    fs::remove_dir(&lock).expect("deleted");
    // Nothing is forbidden to root.
    if !nix::unistd::geteuid().is_root() {
        let games = folder.path().join("games");
        fs::set_permissions(&games, fs::Permissions::from_mode(0o500)).expect("rights");
        check("the folder is read-only");
        fs::set_permissions(&games, fs::Permissions::from_mode(0o700)).expect("rights");
    }
    put_new(&mut page, "game", ID, revision, &json!({"x": 2}));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_document() {
    let folder = temporary_folder();
    let data = folder.path().join("data");
    // The longest file that the system allows stands for the space of the disk: a write beyond it fails in its midst.
    let script = format!("trap '' XFSZ; ulimit -f 64; exec {BINARY} gui --no-open --port=0 --data {}", data.display());
    let server = Server::run(Command::new("sh").args(["-c", &script]));
    let mut page = server.page();
    let old = json!({"x": 1});
    let mut revision = put_new(&mut page, "game", ID, 0, &old);
    for _ in 0..3 {
        let answer = put(&mut page, "game", ID, revision, &json!({"x": "x".repeat(1 << 20)}));
        assert!(error_of(&answer).starts_with("Nothing can be saved in "), "{answer}");
        assert_eq!(get(&mut page, "game", ID)["value"], old);
        // What was half written takes no space.
        assert_eq!(fs::read_dir(data.join("games")).expect("a folder").count(), 1);
        revision = put_new(&mut page, "game", ID, revision, &old);
    }
}

#[test]
fn an_address_stays_valid() {
    let folder = temporary_folder();
    let data = folder.path().join("data");
    let log = folder.path().join("log");
    let start = |arguments: &[&str]| start_with_log(&data, arguments, &log);
    let has_page = |server: &Server| status(&server.get(&format!("/{}/", server.token))) == "200";
    let server = start(&["--port=0"]);
    let token = server.token.clone();
    drop(server);
    let server = start(&[]);
    assert!((8624..8634).contains(&server.port) || TcpListener::bind(("127.0.0.1", 8624)).is_err(), "{}", server.port);
    assert!(server.token == token && has_page(&server));
    drop(server);
    // A port that no other test uses, as after a start at which others were taken.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let path = data.join("server.json");
    let kept = json!({"token": token, "port": port}).to_string();
    fs::write(&path, &kept).expect("a file");
    for _ in 0..3 {
        let server = start(&[]);
        assert!(server.port == port && server.token == token && has_page(&server));
        // Another one takes nothing from the first.
        let second = start(&[]);
        assert!(second.port != port && has_page(&second) && has_page(&server));
        let named = start(&["--port=0"]);
        assert!(named.port != port && named.token == token);
        assert_eq!(text_of(&path), kept);
    }
    assert_eq!(text_of(&log), "");
    // Another program has the port.
    let other = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
    let server = start(&[]);
    assert!(server.port != port && server.token != token && has_page(&server));
    assert!(text_of(&log).contains("another program is using the previous port"), "{}", text_of(&log));
    let (port, token) = (server.port, server.token.clone());
    drop((server, other));
    let server = start(&[]);
    assert!(server.port == port && server.token == token);
}

#[test]
fn a_damaged_or_public_address_is_replaced() {
    let folder = temporary_folder();
    let data = folder.path().join("data");
    let (path, log) = (data.join("server.json"), folder.path().join("log"));
    let start = || start_with_log(&data, &["--port=0"], &log);
    let mut tokens = vec![start().token.clone()];
    let whole = text_of(&path);
    let short = whole.replace(&tokens[0], "0123");
    let damaged = ["", "{", "[]", "{\"token\": 7}", &short, &whole.to_uppercase(), &"x".repeat(1 << 20), "\0"];
    for text in damaged {
        fs::write(&path, text).expect("a file");
        let token = start().token.clone();
        assert!(text_of(&log).contains("server.json cannot be used"), "{}", text_of(&log));
        assert!(token.len() == 32 && !tokens.contains(&token));
        assert_eq!(start().token, token, "{text:?}");
        assert_eq!(text_of(&log), "");
        tokens.push(token);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("rights");
        assert!(!tokens.contains(&start().token));
        assert!(text_of(&log).contains("other users may have read the token"), "{}", text_of(&log));
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    }
}

/// The page reads nothing for longer than the server waits for pages that have much to read.
#[cfg(target_os = "linux")]
#[test]
fn a_suspended_page_loses_nothing() {
    let folder = temporary_folder();
    let server = start(folder.path());
    let mut page = server.page();
    let value = json!({"text": "x".repeat((2 << 20) - 100)});
    put_new(&mut page, "game", ID, 0, &value);
    // More than the system keeps for the connection.
    for id in 0..4 {
        page.send(&json!({"id": id, "ask": "store-get", "kind": "game", "document": ID}).to_string());
    }
    page.send("setoption name MultiPV value 20");
    page.send("go infinite");
    std::thread::sleep(Duration::from_secs(14));
    page.send("stop");
    for id in 0..4 {
        let answer: Value = serde_json::from_str(&page.until("{")).expect("JSON");
        assert!(answer["id"] == id && answer["ok"]["value"] == value);
    }
    page.until("info depth");
    page.until("bestmove");
}

/// Takes more than a minute.
#[test]
fn a_server_ends_a_minute_after_a_page_was_closed() {
    if cases(1, 0) == 0 {
        return;
    }
    let (closed, lost) = (temporary_folder(), temporary_folder());
    let (mut closed, mut lost) = (start(closed.path()), start(lost.path()));
    let mut page = closed.page();
    page.0.close(None).expect("closed");
    let _ = page.0.flush();
    drop((page, lost.page()));
    let begin = Instant::now();
    while closed.process.try_wait().expect("a process").is_none() {
        assert!(begin.elapsed() < TIMEOUT, "the server still runs");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(begin.elapsed() > Duration::from_secs(55), "{:?}", begin.elapsed());
    // A lost page may come back.
    assert!(lost.process.try_wait().expect("a process").is_none());
    lost.page().send("isready");
}
