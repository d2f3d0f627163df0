//! The command line of fastchess as settings of a match.

use super::super::config::{EngineConfig, key_value, parse_counts};
use super::super::game::{DrawRule, ResignRule};
use super::super::openings::{self, Opening};
use super::super::pgn::Style;
use super::super::processors;
use super::super::schedule::{Format, schedule};
use super::super::settings::Match;
use super::super::setup::sprt;
use super::super::sprt::Scale;
use crate::analysis::thread_count;
use agoge_core::board::Variant;
use rand_mt::Mt64;
use regex_lite::Regex;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The maximum number of rounds.
const MAX_ROUNDS: usize = 5_000_000;

/// The text of `-help`.
pub const HELP: &str = "\
A match with the command line and output of fastchess.

-engine          an engine: cmd= name= args= dir= proto=uci|xboard tc= st= nodes= depth= timemargin= option.NAME=
-each            the same for all engines
-variant         standard (what the first engine plays by default), spartan or chess
-concurrency     concurrent games (1)
-rounds          rounds (2)
-games           games of each pairing in a round: 1 or 2 (2)
-repeat          -games 2
-tournament      roundrobin or gauntlet (roundrobin)
-recover         go on after a crash or a stall
-openings        file= format=epd|pgn order=random|sequential plies= start=
-srand           the seed of the order of the openings
-sprt            elo0= elo1= alpha= beta= model=normalized|logistic
-draw            movenumber= movecount= score=
-resign          movecount= score= twosided=
-maxmoves        a draw after this number of moves
-pgnout          file= nodes= seldepth= match_line=
-event           the PGN tag Event
-output          format=fastchess|cutechess
-ratinginterval  rounds between reports of the rating (10)
-scoreinterval   games between reports of the score (1)
-report          penta=true|false: pentanomial statistics (true)
-log             file=: all communication with the engines
-config          file= outname=: continue a match from a file, and save it
-use-affinity    bind each concurrent game to its own processor, from a list such as 0,2,4-7 or from all
-quick           cmd= cmd= book=: a match of 25,000 rounds at 10+0.1 with openings in random order
-version, -help
";

/// What a command line asks for.
#[derive(Debug, Default)]
pub struct CommandLine {
    /// The match, apart from its variant and openings.
    pub settings: Match,
    /// The variant; `None` for what the first engine plays by default.
    pub variant: Option<Variant>,
    /// The openings; `None` for the initial position.
    pub book: Option<Book>,
    pub seed: Option<u64>,
    /// Whether the match continues after a crash or a stall.
    pub recovers: bool,
    /// Whether the output has the form of cutechess-cli.
    pub is_cutechess: bool,
    /// How often the rating is printed, in pairs of games, or in games without pentanomial statistics; 0 for never.
    pub rating_interval: usize,
    /// How often the score is printed, in games; 0 for never.
    pub score_interval: usize,
    /// The file to which the games are written.
    pub pgn: Option<PathBuf>,
    /// The file to which the communication with the engines is written.
    pub log: Option<PathBuf>,
    /// The file from which the match is continued, and that to which it is saved.
    pub config: Config,
    /// All words but those of `-config`.
    pub words: Vec<String>,
    engines: Vec<Vec<String>>,
    each: Vec<String>,
    sprt: Option<(Vec<String>, Scale)>,
    format: Format,
    rounds: usize,
    games: usize,
    /// The list of processors to which games are bound; empty for all.
    affinity: Option<String>,
}

/// The files of `-config`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    is_given: bool,
    /// The file from which the match is continued; then all other options are those of the file.
    pub file: Option<PathBuf>,
    outname: Option<PathBuf>,
}

impl Config {
    /// The file to which the match is saved, if it is: by default that from which it is continued.
    pub fn saved(&self) -> Option<&Path> {
        let path = self.outname.as_deref().or(self.file.as_deref());
        path.or_else(|| self.is_given.then_some(Path::new("config.json")))
    }
}

#[derive(Debug, Default)]
pub struct Book {
    pub path: PathBuf,
    is_random: bool,
    plies: Option<usize>,
    /// The openings before the first one of the match.
    skipped: usize,
    rounds: usize,
}

impl Book {
    /// The openings of the match in the order of fastchess with this seed, at most one for each round.
    ///
    /// # Errors
    /// If the file cannot be read or has an invalid opening.
    pub fn read(&self, variant: Variant, seed: u64) -> Result<Vec<Opening>, String> {
        Ok(self.select(openings::read(&self.path, variant, self.plies)?, seed))
    }

    /// A random order is a shuffle by Fisher and Yates with the 64-bit Mersenne twister.
    fn select<T>(&self, mut all: Vec<T>, seed: u64) -> Vec<T> {
        let count = all.len();
        if self.is_random {
            let mut rng = Mt64::new(seed);
            for i in 0..count - 1 {
                all.swap(i, i + (rng.next_u64() % (count - i) as u64) as usize);
            }
        }
        all.rotate_left(self.skipped % count);
        all.truncate(self.rounds);
        all
    }
}

impl CommandLine {
    /// Parses a command line without the name of the program. If the match is continued from a file, only that file
    /// counts.
    ///
    /// # Errors
    /// The first mistake, with its option.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let mut line = Self { rating_interval: 10, score_interval: 1, rounds: 2, games: 2, ..Self::default() };
        line.settings.match_config.skip_unknown_options = true;
        line.settings.style =
            Style { event: "Fastchess Tournament".to_owned(), is_fastchess: true, ..Style::default() };
        let mut rest = words;
        while let Some((name, after)) = rest.split_first() {
            let count = after.iter().take_while(|word| is_value(word)).count();
            let (values, next) = after.split_at(count);
            line.set(name, values).map_err(|error| format!("{name}: {error}"))?;
            if name != "-config" {
                line.words.extend_from_slice(&rest[..=count]);
            }
            rest = next;
        }
        if line.config.file.is_some() { Ok(line) } else { line.finish() }
    }

    fn set(&mut self, name: &str, values: &[String]) -> Result<(), String> {
        let value = || match values {
            [value] => Ok(value.as_str()),
            _ => Err("it needs exactly one value".to_owned()),
        };
        let pairs = || values.iter().map(|word| key_value(word)).collect::<Result<Vec<_>, _>>();
        match name {
            "-engine" => self.engines.push(values.to_vec()),
            // It also applies to engines that follow.
            "-each" => self.each.extend_from_slice(values),
            "-variant" => {
                self.variant = match value()? {
                    "standard" => None,
                    name => Some(name.parse().map_err(|names| format!("'{name}' is neither standard nor {names}"))?),
                }
            }
            "-concurrency" => self.settings.concurrency = at_least(value()?, 1)?,
            "-rounds" => self.rounds = at_least(value()?, 1)?,
            "-games" => self.games = at_least(value()?, 1)?,
            "-repeat" => self.games = if values.is_empty() { 2 } else { at_least(value()?, 1)? },
            "-tournament" => {
                self.format = match value()? {
                    "roundrobin" => Format::RoundRobin,
                    "gauntlet" => Format::Gauntlet,
                    other => return Err(format!("'{other}' is neither roundrobin nor gauntlet")),
                }
            }
            "-openings" => self.set_book(&pairs()?)?,
            "-srand" => self.seed = Some(at_least(value()?, 0)?),
            "-sprt" => {
                let (model, words) = take(values, "model");
                let scale = match model.as_deref() {
                    None | Some("normalized") => Scale::Normalised,
                    Some("logistic") => Scale::Logistic,
                    Some(other) => return Err(format!("model={other}: neither normalized nor logistic")),
                };
                self.sprt = Some((words, scale));
            }
            "-draw" => {
                let counts = parse_counts(values, [("score", 0, 0), ("movecount", 1, 1), ("movenumber", 0, 0)]);
                let [score, count, from] = counts?;
                self.settings.adjudication.draw = Some(DrawRule { score: score.cast_signed(), count, from });
            }
            "-resign" => {
                let (two_sided, words) = take(values, "twosided");
                let [score, count] = parse_counts(&words, [("score", 0, 0), ("movecount", 1, 1)])?;
                let two_sided = two_sided.map_or(Ok(false), |value| boolean(&value))?;
                self.settings.adjudication.resign = Some(ResignRule { score: score.cast_signed(), count, two_sided });
            }
            "-maxmoves" => self.settings.adjudication.max_moves = Some(at_least(value()?, 1)?),
            "-pgnout" => self.set_pgn(&pairs()?)?,
            "-event" => value()?.clone_into(&mut self.settings.style.event),
            "-output" => {
                self.is_cutechess = match value()? {
                    "format=fastchess" => false,
                    "format=cutechess" => true,
                    other => return Err(format!("'{other}' is neither format=fastchess nor format=cutechess")),
                }
            }
            "-ratinginterval" => self.rating_interval = at_least(value()?, 0)?,
            "-scoreinterval" => self.score_interval = at_least(value()?, 0)?,
            "-report" => match key_value(value()?)? {
                ("penta", value) => self.settings.is_paired = boolean(value)?,
                (key, _) => return Err(unknown(key)),
            },
            "-log" => {
                for (key, value) in pairs()? {
                    match (key, value) {
                        ("file", _) => self.log = Some(value.into()),
                        // The log always has everything.
                        ("append", "true") | ("level" | "realtime" | "engine", _) => {}
                        _ => return Err(unknown(&format!("{key}={value}"))),
                    }
                }
            }
            "-config" => {
                self.config.is_given = true;
                for (key, value) in pairs()? {
                    match key {
                        "file" => self.config.file = Some(value.into()),
                        "outname" => self.config.outname = Some(value.into()),
                        _ => return Err(unknown(key)),
                    }
                }
            }
            "-use-affinity" => self.affinity = Some(values.join(",")),
            "-quick" => self.set_quick(values)?,
            "-recover" | "-testEnv" | "-force-concurrency" if !values.is_empty() => {
                return Err("it takes no value".to_owned());
            }
            "-recover" => self.recovers = true,
            // There is no limit, and OpenBench needs nothing special.
            "-testEnv" | "-force-concurrency" => {}
            _ => return Err("unrecognized option".to_owned()),
        }
        Ok(())
    }

    /// The settings of fastchess for a quick test of two engines. Later options may change them.
    fn set_quick(&mut self, values: &[String]) -> Result<(), String> {
        let (Some(book), engines) = take(values, "book") else { return Err("it needs book=".to_owned()) };
        if engines.len() != 2 || engines.iter().any(|word| !word.starts_with("cmd=")) {
            return Err("it needs exactly two engines: cmd= and cmd=".to_owned());
        }
        for word in &engines {
            self.set("-engine", &[word.clone(), "tc=10+0.1".to_owned()])?;
        }
        let processors = thread_count(0);
        self.settings.concurrency = processors.saturating_sub(2).max(1);
        self.settings.adjudication.draw = Some(DrawRule { score: 8, count: 8, from: 30 });
        (self.rounds, self.games, self.recovers, self.is_cutechess) = (25_000, 2, true, true);
        self.set_book(&[("file", &book), ("order", "random")])
    }

    fn set_book(&mut self, pairs: &[(&str, &str)]) -> Result<(), String> {
        let book = self.book.get_or_insert_default();
        for &(key, value) in pairs {
            match (key, value) {
                ("file", _) => book.path = value.into(),
                // The name of the file tells.
                ("format", "epd" | "pgn") => {}
                ("order", "random" | "sequential") => book.is_random = value == "random",
                ("plies", _) => book.plies = Some(at_least(value, 0)?),
                ("start", _) => book.skipped = at_least(value, 1)? - 1,
                _ => return Err(unknown(&format!("{key}={value}"))),
            }
        }
        Ok(())
    }

    fn set_pgn(&mut self, pairs: &[(&str, &str)]) -> Result<(), String> {
        for &(key, value) in pairs {
            match (key, value) {
                ("file", _) => self.pgn = Some(value.into()),
                ("nodes", _) => self.settings.style.nodes = boolean(value)?,
                ("seldepth", _) => self.settings.style.seldepth = boolean(value)?,
                ("match_line", _) => {
                    let line = Regex::new(value).map_err(|error| format!("match_line={value}: {error}"))?;
                    self.settings.match_config.kept_lines.push(line);
                }
                // What is done anyway.
                ("append", "true") | ("min", "false") | ("notation", "san") => {}
                _ => return Err(unknown(&format!("{key}={value}"))),
            }
        }
        Ok(())
    }

    /// Completes the settings when all words are known.
    fn finish(mut self) -> Result<Self, String> {
        // As in cutechess-cli, `-games` may be meant as the number of rounds.
        if self.games > 2 {
            std::mem::swap(&mut self.games, &mut self.rounds);
        }
        if self.games > 2 {
            return Err("-games: at most 2".to_owned());
        }
        if self.rounds > MAX_ROUNDS {
            return Err(format!("-rounds: at most {MAX_ROUNDS}"));
        }
        let settings = &mut self.settings;
        settings.is_paired &= !self.is_cutechess && self.games == 2;
        let mut names = Vec::new();
        for words in &self.engines {
            let mut engine = engine(&[&words[..], &self.each].concat()).map_err(|error| format!("-engine: {error}"))?;
            let others = names.iter().filter(|&name| *name == engine.name).count();
            names.push(engine.name.clone());
            if others > 0 {
                engine.name = format!("{}_{}", engine.name, others + 1);
            }
            settings.engines.push(engine);
        }
        let count = settings.engines.len();
        if count < 2 {
            return Err("a match needs at least two engines".to_owned());
        }
        if let Some((words, scale)) = &self.sprt {
            settings.sprt = Some(sprt(words, *scale, count).map_err(|error| format!("-sprt: {error}"))?);
        }
        if let Some(list) = &self.affinity {
            let list = Some(list.as_str()).filter(|list| !list.is_empty());
            settings.processors =
                processors::choose(list, settings.concurrency).map_err(|error| format!("-use-affinity: {error}"))?;
        }
        settings.schedule = schedule(self.format, count, self.rounds, self.games);
        // Pairings take the openings of the book in turn. It has at most one for each round, as in fastchess.
        settings.schedule.iter_mut().for_each(|game| game.opening = game.pair);
        if let Some(book) = &mut self.book {
            if book.path.as_os_str().is_empty() {
                return Err("-openings: it needs file=".to_owned());
            }
            book.rounds = self.rounds;
        }
        Ok(self)
    }
}

/// The engine of the words of `-engine`, then those of `-each`; later ones win.
fn engine(words: &[String]) -> Result<EngineConfig, String> {
    let value_of = |key| take(words, key).0;
    let directory = value_of("dir").map_or_else(PathBuf::new, PathBuf::from);
    let mut translated = vec!["margin=0".to_owned()];
    if let Some(stem) = value_of("cmd").as_ref().and_then(|command| Path::new(command).file_stem()) {
        translated.push(format!("name={}", stem.display()));
    }
    for word in words {
        match key_value(word)? {
            ("tc", "inf" | "infinite") => {}
            ("cmd", command) => translated.push(format!("cmd={}", directory.join(command).display())),
            ("st", value) => {
                let seconds: f64 = value.parse().map_err(|_| format!("'{word}': not a number of seconds"))?;
                translated.push(format!("movetime={:.0}", seconds * 1000.0));
            }
            ("timemargin", value) => translated.push(format!("margin={value}")),
            _ => translated.push(word.clone()),
        }
    }
    let engine = EngineConfig::parse(&[], &translated)?;
    if engine.limits.clock.is_some() && engine.limits.movetime.is_some() {
        return Err("tc and st exclude each other".to_owned());
    }
    Ok(engine)
}

/// Whether a word is a value: negative numbers are, other words with a hyphen are options.
fn is_value(word: &str) -> bool {
    word.strip_prefix('-').is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Takes the word of a key out of the others. The last one counts.
fn take(words: &[String], key: &str) -> (Option<String>, Vec<String>) {
    let mut rest = words.to_vec();
    let taken = rest.extract_if(.., |word| key_value(word).is_ok_and(|(other, _)| other == key)).last();
    (taken.map(|word| word[key.len() + 1..].to_owned()), rest)
}

/// A whole number of at least `least`.
fn at_least<T: FromStr + PartialOrd + Display + Copy>(value: &str, least: T) -> Result<T, String> {
    let number = value.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("'{value}' is not a whole number of at least {least}"))
}

fn boolean(value: &str) -> Result<bool, String> {
    value.parse().map_err(|_| format!("'{value}' is neither true nor false"))
}

fn unknown(word: &str) -> String {
    format!("unrecognized '{word}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<CommandLine, String> {
        CommandLine::parse(&shlex::split(line).expect("closed quotes"))
    }

    const TWO: &str = "-engine cmd=a name=x -engine cmd=b name=y";

    #[test]
    fn the_command_line_of_openbench() {
        let line = "-recover -variant standard -testEnv -concurrency 1 -rounds 16 -games 2 -resign movecount=3 score=400 \
                    -draw movenumber=40 movecount=8 score=10 -engine dir=/bin cmd=./sh proto=uci tc=8.20+0.08 \
                    timemargin=250 option.Threads=1 option.Hash=16 name=sh-dev -engine dir=/bin cmd=./sh proto=uci \
                    tc=inf nodes=5000 option.Hash=16 name=sh-base -openings file=book.epd format=epd order=random \
                    start=33 -srand 1234567 -pgnout file=x.pgn seldepth=true nodes=true \
                    match_line='^info string pgncomment .*'";
        let found = parse(line).expect("a valid line");
        let [dev, base] = &found.settings.engines[..] else { panic!("{found:?}") };
        assert_eq!((dev.limits.to_string(), base.limits.to_string()), ("8.2+0.08".into(), "nodes=5000".into()));
        assert_eq!((dev.margin.as_millis(), dev.name.as_str()), (250, "sh-dev"));
        assert!(dev.command.ends_with("bin/./sh") || dev.command.ends_with("bin/sh"), "{:?}", dev.command);
        let Match { adjudication, style, match_config, .. } = &found.settings;
        assert_eq!(adjudication.resign, Some(ResignRule { score: 400, count: 3, two_sided: false }));
        assert_eq!(adjudication.draw, Some(DrawRule { score: 10, count: 8, from: 40 }));
        let book = found.book.expect("a book");
        assert_eq!((book.is_random, book.skipped, book.rounds, found.seed), (true, 32, 16, Some(1_234_567)));
        assert!(style.nodes && style.seldepth && found.pgn.is_some_and(|path| path == Path::new("x.pgn")));
        assert!(match_config.kept_lines[0].is_match("info string pgncomment x"));
        assert!(found.settings.is_paired && found.recovers && found.variant.is_none());
        assert_eq!(found.settings.schedule.len(), 32);
    }

    #[test]
    fn an_adjudication_takes_at_least_one_move() {
        for rule in ["-resign movecount=0 score=500", "-draw movecount=0 score=10"] {
            assert!(parse(&format!("{TWO} -each tc=1 {rule}")).is_err(), "{rule}");
        }
    }

    #[test]
    fn limits_of_engines() {
        let shown = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            engine(&words).map(|engine| (engine.limits.to_string(), engine.margin.as_millis()))
        };
        for (words, limits, margin) in [
            ("cmd=a tc=inf depth=3", "depth=3", 0),
            ("cmd=a tc=40/1:30+1", "40/90+1", 0),
            ("cmd=a tc=10s timemargin=5", "10", 5),
            ("cmd=a st=0.25", "movetime=250", 0),
            ("cmd=a nodes=5 nodes=7", "nodes=7", 0),
        ] {
            assert_eq!(shown(words), Ok((limits.to_owned(), margin)), "{words}");
        }
        for words in ["", "x", "1+", "+1", "/1", "0/1", "-1", "1:x", "nan", "1e300", "hg=5", "inf"] {
            assert!(shown(&format!("cmd=a tc={words}")).is_err(), "{words}");
        }
        assert!(shown("cmd=a st=-1").is_err() && shown("nodes=5").is_err());
    }

    #[test]
    fn defaults_are_those_of_fastchess() {
        let found = parse(&format!("{TWO} -each tc=1")).expect("a valid line");
        assert_eq!((found.settings.schedule.len(), found.settings.concurrency), (4, 1));
        assert_eq!((found.rating_interval, found.score_interval, found.games), (10, 1, 2));
        assert!(found.settings.is_paired && !found.recovers && found.book.is_none());
        // Games and rounds are exchanged if that makes sense.
        let found = parse(&format!("{TWO} -each tc=1 -games 50 -rounds 1")).expect("a valid line");
        assert_eq!((found.rounds, found.games, found.settings.is_paired), (50, 1, false));
    }

    #[test]
    fn further_options() {
        let line = "-repeat -rounds 1 -tournament gauntlet -event 'A match' -report penta=false -engine cmd=c -maxmoves 9 \
                    -log file=log level=warn -openings file=a.pgn plies=6 order=sequential -resign twosided=true score=9";
        let found = parse(&format!("{TWO} -each tc=1 {line}")).expect("a valid line");
        // Each pairing has its own opening.
        assert_eq!(found.settings.schedule.iter().map(|game| game.opening).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!((found.settings.style.event.as_str(), found.settings.is_paired), ("A match", false));
        assert_eq!(found.settings.adjudication.resign, Some(ResignRule { score: 9, count: 1, two_sided: true }));
        assert_eq!((found.settings.adjudication.max_moves, found.log), (Some(9), Some("log".into())));
        assert_eq!(found.book.and_then(|book| book.plies), Some(6));
        let found = parse(&format!("{TWO} -each tc=1 -sprt elo0=0 elo1=5 model=logistic")).expect("a valid line");
        assert_eq!(
            found.settings.sprt.map(|test| (test.elo1, test.alpha, test.scale)),
            Some((5.0, 0.05, Scale::Logistic))
        );
    }

    #[test]
    fn a_quick_match() {
        let found = parse("-quick cmd=x/a cmd=y/a book=b.pgn -concurrency 3").expect("a valid line");
        let engines: Vec<_> = found.settings.engines.iter().map(|engine| engine.limits.to_string()).collect();
        assert_eq!(engines, ["10+0.1", "10+0.1"]);
        let book = found.book.expect("a book");
        assert_eq!((book.path, book.is_random, book.rounds), ("b.pgn".into(), true, 25_000));
        assert!(found.recovers && found.is_cutechess && !found.settings.is_paired);
        assert_eq!((found.settings.concurrency, found.settings.schedule.len()), (3, 50_000));
        assert_eq!(found.settings.adjudication.draw, Some(DrawRule { score: 8, count: 8, from: 30 }));
    }

    #[test]
    fn the_file_of_a_match() {
        let found = |line: &str| {
            let config = parse(line).expect("a valid line").config;
            (config.file.clone(), config.saved().map(Path::to_owned))
        };
        let two = format!("{TWO} -each tc=1");
        assert_eq!(found(&two), (None, None));
        assert_eq!(found(&format!("{two} -config")), (None, Some("config.json".into())));
        assert_eq!(found(&format!("{two} -config outname=a")), (None, Some("a".into())));
        // The file alone is a whole command line.
        assert_eq!(found("-config file=a"), (Some("a".into()), Some("a".into())));
        assert_eq!(found("-config outname=b file=a"), (Some("a".into()), Some("b".into())));
    }

    #[test]
    fn equal_names_are_numbered() {
        let found = parse("-engine cmd=a -engine cmd=a -engine cmd=x/a.bin -each nodes=5").expect("a valid line");
        let names: Vec<&str> = found.settings.engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["a", "a_2", "a_3"]);
    }

    /// The expected order was computed with `std::mt19937_64` of the C++ library.
    #[test]
    fn the_order_of_openings_is_that_of_fastchess() {
        let all: Vec<u32> = (0..10).collect();
        let random = Book { is_random: true, rounds: 10, ..Book::default() };
        assert_eq!(random.select(all.clone(), 42), [6, 0, 4, 7, 9, 8, 1, 3, 5, 2]);
        let sequential = Book { skipped: 8, rounds: 4, ..Book::default() };
        assert_eq!(sequential.select(all, 42), [8, 9, 0, 1]);
    }

    #[test]
    fn mistakes_are_named() {
        for (rest, error) in [
            ("-colour red", "-colour: unrecognized option"),
            ("-each tc", "'tc' is not of the form key=value"),
            ("-each tc=x", "'x' is not a time control"),
            ("-each tc=1 st=1", "tc and st"),
            ("-each tc=1 proto=xyz", "protocol"),
            ("-each tc=1 restart=maybe", "restart"),
            ("-each tc=1 timemargin=-1", "margin"),
            ("-each tc=1 colour=red", "colour"),
            ("", "limit"),
            ("-each tc=1 -rounds 0", "-rounds"),
            ("-each tc=1 -rounds 1 2", "exactly one"),
            ("-each tc=1 -rounds 1000000000000", "at most 5000000"),
            ("-each tc=1 -games 5 -rounds 5", "-games"),
            ("-each tc=1 -recover yes", "-recover"),
            ("-each tc=1 -variant fischerandom", "fischerandom"),
            ("-each tc=1 -openings order=alphabetical", "order"),
            ("-each tc=1 -openings order=random", "file="),
            ("-each tc=1 -sprt elo0=5 elo1=0 alpha=0.05 beta=0.05", "elo0"),
            ("-each tc=1 -sprt elo0=0 elo1=5 model=bayesian", "bayesian"),
            ("-each tc=1 -draw score=-1", "at least 0"),
            ("-each tc=1 -pgnout match_line=(", "match_line"),
            ("-each tc=1 -pgnout nodes=1", "true"),
            ("-each tc=1 -crc32 pgn=true", "-crc32"),
            ("-each tc=1 -config file", "key=value"),
            ("-each tc=1 -config stats=1", "stats"),
            ("-each tc=1 -use-affinity x", "-use-affinity: 'x' is not a list"),
            ("-quick cmd=a cmd=b", "book="),
            ("-quick cmd=a book=b", "cmd="),
            ("-quick cmd=a colour=b book=b.epd", "cmd="),
            ("-each tc=1 -tournament swiss", "swiss"),
        ] {
            let found = parse(&format!("{TWO} {rest}")).expect_err(rest);
            assert!(found.contains(error), "{rest}: {found}");
        }
        assert!(parse("-engine cmd=a tc=1").is_err());
    }
}
