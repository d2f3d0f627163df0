//! Trains a network on games. The modules are in [`crate::train`]; TRAINING.md explains the usage.

use crate::progress::Progress;
use crate::terminal::{CommandResult, Error, Interrupt, Status, failed, unreadable, unwritable, usage};
use crate::train::checkpoint::{decode, encode};
use crate::train::data::{Dataset, Source};
use crate::train::finish::{self, Reference};
use crate::train::net::{LANES, Weights};
use crate::train::report::{picture, table};
use crate::train::trainer::{Config, Epoch, Trainer};
use crate::{files, outln};
use agoge_core::nnue::Network;
use agoge_core::nnue::arch::HIDDEN;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The text after the options in `--help`.
const DETAILS: &str = "\
OUTPUT
  DIR/NAME.nnue    the quantised network, written at the end
  DIR/checkpoint   the state for --resume; rewritten after each epoch and on Ctrl-C
  DIR/log.csv      a line for each epoch
  DIR/loss.svg     the same as a chart

  The same data and options give the same network, bit for bit, regardless of --threads and of
  interruptions.
";

#[derive(Args)]
#[command(after_help = DETAILS)]
pub struct Arguments {
    /// The output directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The name of the network
    #[arg(long, default_value = "agoge")]
    name: String,
    /// Resume the training whose checkpoint is in DIR; the other options must be the same
    #[arg(long)]
    resume: bool,
    /// Overwrite the files of an earlier training in DIR
    #[arg(long, conflicts_with = "resume")]
    force: bool,

    #[command(flatten)]
    config: Config,
    /// The value of --wdl at the end; by default it is constant
    #[arg(long, help_heading = "Training")]
    final_wdl: Option<f64>,
    /// Start from the weights of this network instead of random ones
    #[arg(long, value_name = "FILE", help_heading = "Training")]
    init: Option<PathBuf>,

    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    reference: Reference,

    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    threads: usize,
    /// Stop after this step of the whole training and write a checkpoint
    #[arg(long, value_name = "STEP", help_heading = "Run")]
    stop_at: Option<u64>,
}

impl Arguments {
    fn initial(&self) -> Result<Option<Network>, Error> {
        self.init.as_deref().map(|path| Network::read(path).map_err(unreadable(path))).transpose()
    }

    fn config(&self, initial: Option<&Network>) -> Config {
        Config {
            final_wdl: self.final_wdl.unwrap_or(self.config.wdl),
            init: initial.map(|network| crc32fast::hash(&network.to_bytes())),
            ..self.config.clone()
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// The file of the quantised network.
    fn network(&self) -> PathBuf {
        self.file(&format!("{}.nnue", self.name))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    files::replace(path, bytes).map_err(unwritable(path))
}

/// Checks everything that can be checked before the positions are read.
fn check(arguments: &Arguments, config: &Config) -> Result<(), Error> {
    let input = |message: &str| Err(usage(message.to_owned()));
    config.check().map_err(usage)?;
    arguments.source.check()?;
    let name = &arguments.name;
    if name.contains(['/', '\\']) || Network::check_name(name).is_err() {
        return input("the name is empty, too long, or not a valid file name");
    }
    let checkpoint = arguments.file("checkpoint");
    if arguments.resume {
        let missing = || unreadable(&checkpoint)("there is no training to resume");
        return if checkpoint.exists() { Ok(()) } else { Err(missing()) };
    }
    if !arguments.out.exists() {
        return Ok(());
    }
    files::check_new(&checkpoint, arguments.force, files::RESUME_HINT).map_err(usage)?;
    for path in [arguments.network(), arguments.file("log.csv"), arguments.file("loss.svg")] {
        files::check_new(&path, arguments.force, files::FORCE_HINT).map_err(usage)?;
    }
    Ok(())
}

fn trainer<'a>(
    arguments: &Arguments,
    config: Config,
    initial: Option<&Network>,
    data: &'a Dataset,
    checksum: u32,
) -> Result<Trainer<'a>, Error> {
    if !arguments.resume {
        fs::create_dir_all(&arguments.out).map_err(|error| failed(format!("{}: {error}", arguments.out.display())))?;
        return Ok(match initial {
            Some(network) => Trainer::from_weights(config, data, Weights::from_network(network)),
            None => Trainer::new(config, data, HIDDEN / LANES),
        });
    }
    let path = arguments.file("checkpoint");
    let bytes = fs::read(&path).map_err(unreadable(&path))?;
    let state = decode(&bytes, &config, checksum).map_err(unreadable(&path))?;
    if state.weights.tiles.len() * LANES != HIDDEN {
        return Err(unreadable(&path)("the network of the checkpoint has a different width"));
    }
    Ok(Trainer::resumed(config, data, state))
}

fn save(arguments: &Arguments, trainer: &Trainer, checksum: u32) -> Result<(), Error> {
    let history = &trainer.state().progress.history;
    write(&arguments.file("checkpoint"), &encode(trainer.config(), checksum, trainer.state()))?;
    if !history.is_empty() {
        write(&arguments.file("log.csv"), table(history).as_bytes())?;
        let title = format!("{}: mean squared error of the expected result", arguments.name);
        let picture = picture(history, &title).map_err(failed)?;
        write(&arguments.file("loss.svg"), picture.as_bytes())?;
    }
    Ok(())
}

fn print_epoch(progress: &Progress, epoch: &Epoch, speed: f64) {
    let Epoch { epoch, training, validation, rate, .. } = epoch;
    let validation = validation.map_or_else(String::new, |loss| format!(", in validation {loss:.6}"));
    progress.print(|| {
        outln!("epoch {epoch:3}: loss {training:.6}{validation}, rate {rate:.2e}, {speed:.0} positions/s");
    });
}

struct Speedometer {
    begin: Instant,
    positions: u64,
}

impl Speedometer {
    fn new() -> Self {
        Self { begin: Instant::now(), positions: 0 }
    }

    fn speed(&self) -> f64 {
        self.positions as f64 / self.begin.elapsed().as_secs_f64().max(1e-9)
    }
}

pub fn run(arguments: &Arguments) -> CommandResult {
    let Interrupt { stop, .. } = Interrupt::listen()?;
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global().map_err(usage)?;
    let initial = arguments.initial()?;
    let config = arguments.config(initial.as_ref());
    let reference = arguments.reference.network()?;
    check(arguments, &config)?;
    let begin = Instant::now();
    let data = Dataset::read(&arguments.source.with_seed(arguments.config.seed))?;
    outln!("{}; read in {:.1} s", data.tally, begin.elapsed().as_secs_f64());
    outln!("{} training positions, {} validation positions", data.training.len(), data.validation.len());
    if data.training.is_empty() {
        return Err(usage("there are no training positions".to_owned()));
    }
    let checksum = data.checksum();
    let mut trainer = trainer(arguments, config, initial.as_ref(), &data, checksum)?;

    let progress = Progress::new(trainer.steps(), trainer.steps_done());
    let mut epoch_speed = Speedometer::new();
    let mut total_speed = Speedometer::new();
    let end = arguments.stop_at.unwrap_or(u64::MAX);
    while !trainer.is_over() && trainer.steps_done() < end && !stop.load(Ordering::Relaxed) {
        let before = trainer.steps_done();
        let epoch = trainer.step().cloned();
        epoch_speed.positions += trainer.batch() as u64;
        total_speed.positions += trainer.batch() as u64;
        progress.inc();
        if let Some(epoch) = epoch {
            print_epoch(&progress, &epoch, epoch_speed.speed());
            save(arguments, &trainer, checksum)?;
            epoch_speed = Speedometer::new();
        } else if before.is_multiple_of(8) {
            progress.set_message(format!(
                "steps, loss {:.6}, {:.0} positions/s",
                trainer.running_loss(),
                epoch_speed.speed()
            ));
        }
    }
    progress.finish();
    outln!("{} of {} steps, {:.0} positions/s", trainer.steps_done(), trainer.steps(), total_speed.speed());
    save(arguments, &trainer, checksum)?;
    let network = finish::network(&arguments.name, &trainer, &data, reference.as_deref(), &arguments.reference)?;
    write(&arguments.network(), &network.to_bytes())?;
    if trainer.is_over() || !stop.load(Ordering::Relaxed) {
        return Ok(Status::Success);
    }
    Err(Error { status: Status::Interrupted, message: "interrupted; --resume continues the training".to_owned() })
}
