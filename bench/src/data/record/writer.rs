//! Writing games block by block.

use super::encoding::encode;
use super::reader::has_whole_block;
use super::{BLOCK_MAGIC, GameRecord, Header, MAX_BLOCK, Reader, RecordError};
use crate::files;
use agoge_core::board::Variant;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A block is full at this number of uncompressed bytes. Larger blocks hardly compress better.
const FULL: usize = 256 << 10;

/// The compression level: about as fast as a disk.
const LEVEL: i32 = 3;

/// Games that are written and compressed together.
#[derive(Default)]
pub(super) struct Block {
    games: u32,
    raw: Vec<u8>,
}

impl Block {
    pub(super) fn push(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        encode(game, &mut self.raw)?;
        self.games += 1;
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.games == 0
    }

    fn is_full(&self) -> bool {
        self.raw.len() >= FULL
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>, RecordError> {
        debug_assert!(self.raw.len() <= MAX_BLOCK);
        let packed = zstd::bulk::compress(&self.raw, LEVEL)?;
        let mut bytes = BLOCK_MAGIC.to_vec();
        for number in [self.games, packed.len() as u32, self.raw.len() as u32, crc32fast::hash(&packed)] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes.extend(packed);
        Ok(bytes)
    }
}

/// Writes games to a file, with exclusive access.
pub struct Writer {
    file: File,
    variant: Variant,
    /// The end of the last block written.
    end: u64,
    block: Block,
}

/// A file opened for appending.
pub struct Appended {
    pub writer: Writer,
    pub header: Header,
    /// The number of bytes that were removed after the last whole block.
    pub removed_bytes: u64,
}

impl Writer {
    /// Creates a new file.
    ///
    /// # Errors
    /// If the file exists or cannot be written, or the header is too long.
    pub fn create(path: &Path, header: &Header) -> Result<Self, RecordError> {
        let bytes = header.encode()?;
        // Not for appending: Windows would refuse the lock and a change of the length.
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        lock(&file)?;
        if let Err(error) = file.write_all(&bytes) {
            // The file contains no games yet.
            let _ = std::fs::remove_file(path);
            return Err(error.into());
        }
        Ok(Self { file, variant: header.variant, end: bytes.len() as u64, block: Block::default() })
    }

    /// Whether not even the header of a file was written as a whole: the file has at most a part of it, and then zeros.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_blank(path: &Path, header: &Header) -> Result<bool, RecordError> {
        let header = header.encode()?;
        let mut rest = header.as_slice();
        let mut is_same = true;
        for byte in BufReader::with_capacity(1 << 16, File::open(path)?).bytes() {
            let byte = byte?;
            is_same = is_same && rest.split_off_first() == Some(&byte);
            let is_written = if is_same { rest.is_empty() } else { byte != 0 };
            if is_written {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Opens a file for appending: calls `visit` with each game, removes what an interrupted write has left after the
    /// last whole block, and continues there. That may be a part of a block, or zeros and other bytes of any number
    /// after a power failure.
    ///
    /// # Errors
    /// If the file cannot be read or written, another program is writing to it, or it is damaged before a whole block.
    /// Then it is left unchanged.
    pub fn append(path: &Path, mut visit: impl FnMut(&GameRecord)) -> Result<Appended, RecordError> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file)?;
        // By the same handle, the only one that may read a locked file on Windows.
        let mut reader = Reader::new(BufReader::with_capacity(1 << 16, file.try_clone()?))?;
        let mut removed_bytes = 0;
        for game in reader.by_ref() {
            match game {
                Ok(game) => visit(&game),
                Err(error @ (RecordError::Truncated { offset, .. } | RecordError::Corrupt { offset, .. })) => {
                    file.seek(SeekFrom::Start(offset))?;
                    if has_whole_block(BufReader::with_capacity(1 << 16, &file))? {
                        return Err(error);
                    }
                    removed_bytes = file.metadata()?.len() - offset;
                }
                Err(error) => return Err(error),
            }
        }
        let (end, header) = (reader.offset(), reader.header().clone());
        files::cut(&mut file, end)?;
        let writer = Self { file, variant: header.variant, end, block: Block::default() };
        Ok(Appended { writer, header, removed_bytes })
    }

    /// Writes a game and all pending games as a block immediately, so that they survive if the program is killed.
    ///
    /// # Errors
    /// If the game cannot be written. A partly written block is removed if possible.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        self.add(game)?;
        self.flush()
    }

    /// Buffers a game until the block is full or [`Writer::flush`] is called.
    ///
    /// # Errors
    /// If the game or the full block cannot be written.
    pub fn push(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        self.add(game)?;
        if self.block.is_full() { self.flush() } else { Ok(()) }
    }

    fn add(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        if game.variant() != self.variant {
            return Err(RecordError::Unwritable("the variant of a game is not that of the file"));
        }
        self.block.push(game)
    }

    /// Writes the pending games.
    ///
    /// # Errors
    /// If the file cannot be written. A partly written block is removed if possible, and the pending games are lost.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return Ok(());
        }
        let bytes = block.encode()?;
        if let Err(error) = self.file.write_all(&bytes) {
            // Otherwise a later block would follow an incomplete one.
            let _ = files::cut(&mut self.file, self.end);
            return Err(error.into());
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Writes the pending games and syncs the file to disk.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.flush()?;
        self.file.sync_all()?;
        Ok(())
    }
}

fn lock(file: &File) -> Result<(), RecordError> {
    if files::lock(file) { Ok(()) } else { Err(RecordError::Locked) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_record;
    use super::*;
    use std::fs;

    fn header(variant: Variant) -> Header {
        Header { variant, seed: 1, program: "p".to_owned(), settings: "s".to_owned() }
    }

    fn read(path: &Path) -> Vec<GameRecord> {
        Reader::open(path).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn an_incomplete_block_is_removed_on_append() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games");
        let games: Vec<GameRecord> = (0..4).map(|number| random_record(Variant::Spartan, number)).collect();
        let mut writer = Writer::create(&path, &header(Variant::Spartan)).unwrap();
        writer.write(&games[0]).unwrap();
        let whole = writer.end;
        writer.write(&games[1]).unwrap();
        let end = writer.end;
        assert!(matches!(Writer::append(&path, |_| ()), Err(RecordError::Locked)));
        drop(writer);
        assert!(matches!(Writer::create(&path, &header(Variant::Spartan)), Err(RecordError::Io(_))));

        File::options().write(true).open(&path).unwrap().set_len(end - 1).unwrap();
        let mut seen = Vec::new();
        let mut appended = Writer::append(&path, |game| seen.push(game.number)).unwrap();
        assert_eq!((seen, appended.removed_bytes), (vec![0], end - 1 - whole));
        assert_eq!(appended.header, header(Variant::Spartan));
        assert_eq!(fs::metadata(&path).unwrap().len(), whole);
        appended.writer.push(&games[2]).unwrap();
        appended.writer.push(&games[3]).unwrap();
        assert_eq!(read(&path).len(), 1);
        appended.writer.finish().unwrap();
        assert_eq!(read(&path), [&games[0], &games[2], &games[3]].map(Clone::clone));
    }

    #[test]
    fn a_damaged_file_is_left_unchanged() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games");
        let mut writer = Writer::create(&path, &header(Variant::Spartan)).unwrap();
        for number in 0..3 {
            writer.write(&random_record(Variant::Spartan, number)).unwrap();
        }
        drop(writer);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(Writer::append(&path, |_| ()), Err(RecordError::Corrupt { .. })));
        assert_eq!(fs::read(&path).unwrap(), bytes);
        // A last block with right checksums is not the remainder of an interrupted write, whatever is in it.
        let mut bytes = header(Variant::Spartan).encode().unwrap();
        let begin = bytes.len();
        bytes.extend(BLOCK_MAGIC);
        for number in [1, 7, 10, crc32fast::hash(b"strange")] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(crc32fast::hash(&bytes[begin..]).to_le_bytes());
        bytes.extend(b"strange");
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(Writer::append(&path, |_| ()), Err(RecordError::Corrupt { .. })));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_file_without_a_whole_header_is_blank() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games");
        let header = header(Variant::Spartan);
        let bytes = header.encode().unwrap();
        let is_blank = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            Writer::is_blank(&path, &header).unwrap()
        };
        for length in 0..bytes.len() {
            assert!(is_blank(&bytes[..length]), "{length}");
            let zeros = [&bytes[..length], &vec![0; 100_000]].concat();
            assert_eq!(is_blank(&zeros), zeros[..bytes.len()] != bytes, "{length}");
            assert!(!is_blank(&[&zeros, "x".as_bytes()].concat()), "{length}");
        }
        assert!(!is_blank(&bytes) && !is_blank(b"x"));
        assert!(!is_blank(&[&bytes[..], &[0; 100]].concat()));
    }

    #[test]
    fn torn_tails_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games");
        let mut writer = Writer::create(&path, &header(Variant::Spartan)).unwrap();
        let games: Vec<GameRecord> = (0..3).map(|number| random_record(Variant::Spartan, number)).collect();
        writer.write(&games[0]).unwrap();
        writer.write(&games[1]).unwrap();
        let whole = writer.end as usize;
        writer.write(&games[2]).unwrap();
        drop(writer);
        let bytes = fs::read(&path).unwrap();
        let (kept, last) = bytes.split_at(whole);
        let mut rng = crate::rng::Rng::new(3);
        let mut tails: Vec<Vec<u8>> = Vec::new();
        for length in [1, 2, 3, 4, 5, 23, 24, 25, 511, 4096, 65_535, 65_536, 65_537, 1_000_000] {
            // Zeros, noise, the beginnings of blocks, and blocks of which a part has not reached the disk.
            tails.push(vec![0; length]);
            tails.push((0..length).map(|_| rng.next() as u8).collect());
            tails.push(BLOCK_MAGIC.repeat(length).into_iter().take(length).collect());
            let part = &last[..length.min(last.len() - 1)];
            tails.push(part.to_vec());
            tails.push([part, &vec![0; last.len() - part.len()]].concat());
            tails.push([part, &vec![0; length]].concat());
            tails.push([&vec![0; length], part].concat());
            tails.push([part, &last[part.len() + 1..]].concat());
        }
        for tail in tails {
            fs::write(&path, [kept, &tail].concat()).unwrap();
            let mut seen = Vec::new();
            let mut appended = Writer::append(&path, |game| seen.push(game.clone())).unwrap();
            assert_eq!((appended.removed_bytes, seen.as_slice()), (tail.len() as u64, &games[..2]));
            appended.writer.write(&games[2]).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        // A whole block after zeros is not lost.
        fs::write(&path, [kept, &vec![0; 5000], last].concat()).unwrap();
        assert!(matches!(Writer::append(&path, |_| ()), Err(RecordError::Corrupt { .. })));
    }

    #[test]
    fn many_games_share_blocks() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games");
        let mut writer = Writer::create(&path, &header(Variant::Chess)).unwrap();
        assert!(matches!(writer.push(&random_record(Variant::Spartan, 0)), Err(RecordError::Unwritable(_))));
        let games: Vec<GameRecord> = (0..2000).map(|number| random_record(Variant::Chess, number)).collect();
        games.iter().for_each(|game| writer.push(game).unwrap());
        writer.finish().unwrap();
        assert_eq!(read(&path), games);
    }
}
