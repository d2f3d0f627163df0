//! Reading games block by block.

use super::encoding::{Bytes, decode};
use super::{BLOCK_HEAD, BLOCK_MAGIC, DONE_MAGIC, GameRecord, Header, MAX_BLOCK, RecordError};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

/// Reads the games of a file in order. Only one block is held in memory.
///
/// The iterator ends after an error. [`RecordError::Truncated`] means that the file ends within a block: all finished
/// games have been returned, and the caller may ignore the error.
pub struct Reader {
    input: Box<dyn Read + Send>,
    header: Header,
    /// The offset of the next block.
    offset: u64,
    games: VecDeque<GameRecord>,
    failed: bool,
}

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// If the file cannot be read or has no valid header.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        // Windows reports the opening of a directory as a denied access.
        if path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        Self::new(BufReader::with_capacity(1 << 16, File::open(path)?))
    }

    /// Reads from any source of bytes, which should be buffered.
    ///
    /// # Errors
    /// If there is no valid header.
    pub fn new(mut input: impl Read + Send + 'static) -> Result<Self, RecordError> {
        let (header, offset) = Header::read(&mut input)?;
        Ok(Self { input: Box::new(input), header, offset, games: VecDeque::new(), failed: false })
    }

    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The end of the last block of games read, in bytes from the start of the file.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads `count` bytes, or fewer at the end of the file.
    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, RecordError> {
        let mut bytes = Vec::new();
        (&mut *self.input).take(count as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads the next block; `false` at the end of the file.
    fn read_block(&mut self) -> Result<bool, RecordError> {
        let offset = self.offset;
        let corrupt = |cause: String| RecordError::Corrupt { offset, cause };
        let head = self.bytes(BLOCK_HEAD)?;
        if head.is_empty() {
            return Ok(false);
        }
        let known = head.len().min(BLOCK_MAGIC.len());
        if head[..known] != BLOCK_MAGIC[..known] && head[..known] != DONE_MAGIC[..known] {
            return Err(corrupt("it does not start like a block".to_owned()));
        }
        let Ok(head) = <[u8; BLOCK_HEAD]>::try_from(head.as_slice()) else {
            return Err(RecordError::Truncated { offset, bytes: head.len() as u64 });
        };
        let word = |index| word(&head, index);
        if crc32fast::hash(&head[..BLOCK_HEAD - 4]) != word(5) {
            return Err(corrupt("the checksum of its header is wrong".to_owned()));
        }
        if head.starts_with(DONE_MAGIC) {
            if (1..5).any(|index| word(index) != 0) || !self.bytes(1)?.is_empty() {
                return Err(corrupt("it is not the last one".to_owned()));
            }
            return Ok(false);
        }
        let [count, packed, plain] = [1, 2, 3].map(|index| word(index) as usize);
        if plain > MAX_BLOCK || packed > max_packed() {
            return Err(corrupt(format!("it is longer than {MAX_BLOCK} bytes")));
        }
        let compressed = self.bytes(packed)?;
        if compressed.len() < packed {
            return Err(RecordError::Truncated { offset, bytes: (BLOCK_HEAD + compressed.len()) as u64 });
        }
        if crc32fast::hash(&compressed) != word(4) {
            return Err(corrupt("its checksum is wrong".to_owned()));
        }
        let raw = zstd::bulk::decompress(&compressed, plain).map_err(|error| corrupt(error.to_string()))?;
        if raw.len() != plain {
            return Err(corrupt(format!("its games have {} bytes instead of {plain}", raw.len())));
        }
        let mut bytes = Bytes::new(&raw);
        let mut games = VecDeque::new();
        while !bytes.is_empty() {
            games.push_back(decode(&mut bytes, self.header.variant).map_err(corrupt)?);
        }
        if games.len() != count || count == 0 {
            return Err(corrupt(format!("it has {} games instead of {count}", games.len())));
        }
        self.games = games;
        self.offset += (BLOCK_HEAD + packed) as u64;
        Ok(true)
    }
}

/// A number of the header of a block.
fn word(head: &[u8; BLOCK_HEAD], index: usize) -> u32 {
    let [a, b, c, d] = [0, 1, 2, 3].map(|byte| head[4 * index + byte]);
    u32::from_le_bytes([a, b, c, d])
}

/// The maximum length of the games of a block after compression, in bytes.
fn max_packed() -> usize {
    zstd::zstd_safe::compress_bound(MAX_BLOCK)
}

/// Whether a block whose checksums are right begins at this place of the input or later. If not, what follows is the
/// remainder of an interrupted write.
///
/// # Errors
/// If the input cannot be read.
pub(super) fn has_whole_block(mut input: impl BufRead + Seek) -> io::Result<bool> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let skipped = buffer.iter().position(|byte| BLOCK_MAGIC.starts_with(&[*byte])).unwrap_or(buffer.len());
        if skipped > 0 {
            input.consume(skipped);
            continue;
        }
        let begin = input.stream_position()?;
        if is_whole_block(&mut input)? {
            return Ok(true);
        }
        let length = input.stream_position()? - begin;
        input.seek_relative(1 - length.cast_signed())?;
    }
}

/// Whether the input begins with a block whose checksums are right.
fn is_whole_block(input: &mut impl Read) -> io::Result<bool> {
    let mut head = Vec::new();
    input.take(BLOCK_HEAD as u64).read_to_end(&mut head)?;
    let Ok(head) = <[u8; BLOCK_HEAD]>::try_from(head) else { return Ok(false) };
    let packed = word(&head, 2);
    if !head.starts_with(BLOCK_MAGIC)
        || crc32fast::hash(&head[..BLOCK_HEAD - 4]) != word(&head, 5)
        || packed as usize > max_packed()
    {
        return Ok(false);
    }
    let mut games = Vec::new();
    input.take(packed.into()).read_to_end(&mut games)?;
    Ok(games.len() == packed as usize && crc32fast::hash(&games) == word(&head, 4))
}

impl Iterator for Reader {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.games.is_empty() && !self.failed {
            match self.read_block() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        self.games.pop_front().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::super::tests::random_record;
    use super::super::writer::Block;
    use super::*;
    use agoge_core::board::Variant;
    use std::io::Cursor;

    fn header() -> Header {
        Header {
            variant: Variant::Spartan,
            seed: 7,
            program: "a program".to_owned(),
            settings: "nodes 5, \u{2014}".to_owned(),
        }
    }

    /// A file of three blocks with six games, the games, and the ends of the header and of each block.
    fn file() -> (Vec<u8>, Vec<GameRecord>, Vec<usize>) {
        let games: Vec<GameRecord> = (0..6).map(|number| random_record(Variant::Spartan, number)).collect();
        let mut bytes = header().encode().unwrap();
        let mut ends = vec![bytes.len()];
        for games in [&games[..1], &games[1..5], &games[5..]] {
            let mut block = Block::default();
            games.iter().for_each(|game| block.push(game).unwrap());
            bytes.extend(block.encode().unwrap());
            ends.push(bytes.len());
        }
        (bytes, games, ends)
    }

    fn read(bytes: &[u8]) -> (Vec<GameRecord>, Option<RecordError>) {
        let reader = match Reader::new(Cursor::new(bytes.to_vec())) {
            Ok(reader) => reader,
            Err(error) => return (Vec::new(), Some(error)),
        };
        let mut games = Vec::new();
        for game in reader {
            match game {
                Ok(game) => games.push(game),
                Err(error) => return (games, Some(error)),
            }
        }
        (games, None)
    }

    #[test]
    fn files_round_trip() {
        let (bytes, games, ends) = file();
        let (found, error) = read(&bytes);
        assert!(error.is_none());
        assert_eq!(found, games);
        let mut reader = Reader::new(Cursor::new(bytes)).unwrap();
        assert_eq!(*reader.header(), header());
        assert_eq!(reader.offset(), ends[0] as u64);
        assert_eq!(reader.by_ref().count(), 6);
        assert_eq!(reader.offset(), ends[3] as u64);
    }

    #[test]
    fn a_file_with_a_share_of_a_run_is_read() {
        let (bytes, games, ends) = file();
        let mut share = header().encode().unwrap();
        share.truncate(ends[0] - 4);
        share[8] = 2;
        share.splice(20..20, [0u64.to_le_bytes(), 6u64.to_le_bytes()].concat());
        share.extend(crc32fast::hash(&share).to_le_bytes());
        share.extend(&bytes[ends[0]..]);
        let end = share.len();
        share.extend(b"DONE");
        share.extend([0; 16]);
        share.extend(crc32fast::hash(&share[end..]).to_le_bytes());

        assert_eq!(*Reader::new(Cursor::new(share.clone())).unwrap().header(), header());
        for length in end..=share.len() {
            let (found, error) = read(&share[..length]);
            let truncated = matches!(error, Some(RecordError::Truncated { .. }));
            assert_eq!((found, truncated), (games.clone(), (end + 1..share.len()).contains(&length)), "{length}");
        }
        share.push(b'x');
        assert!(matches!(read(&share).1, Some(RecordError::Corrupt { .. })));
        // The next game replaces the block at the end.
        share.pop();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games");
        std::fs::write(&path, &share).unwrap();
        let mut appended = Writer::append(&path, |_| ()).unwrap();
        assert_eq!(appended.removed_bytes, 0);
        appended.writer.write(&games[0]).unwrap();
        assert_eq!(read(&std::fs::read(&path).unwrap()).0, [&games[..], &games[..1]].concat());
    }

    #[test]
    fn complete_blocks_of_a_truncated_file_are_read() {
        let (bytes, games, ends) = file();
        let counts = [0, 1, 5, 6];
        for length in 0..bytes.len() {
            let (found, error) = read(&bytes[..length]);
            let whole = ends.iter().filter(|&&end| end <= length).count();
            if whole == 0 {
                let expected = |error| matches!(error, Some(RecordError::Header(_) | RecordError::NotRecords));
                assert!(expected(error), "{length}");
                continue;
            }
            assert_eq!(found, games[..counts[whole - 1]], "{length}");
            let end = ends[whole - 1];
            match error {
                None => assert_eq!(length, end),
                Some(RecordError::Truncated { offset, bytes }) => {
                    assert_eq!((offset as usize, bytes as usize), (end, length - end));
                }
                Some(error) => panic!("{length}: {error}"),
            }
        }
    }

    #[test]
    fn every_flipped_bit_is_detected() {
        let (bytes, games, ends) = file();
        for index in 0..bytes.len() {
            for bit in 0..8 {
                let mut bytes = bytes.clone();
                bytes[index] ^= 1 << bit;
                let (found, error) = read(&bytes);
                let error = error.expect("an error");
                if index < ends[0] {
                    assert!(found.is_empty());
                    continue;
                }
                let block = ends.iter().position(|&end| index < end).unwrap() - 1;
                assert_eq!(found, games[..[0, 1, 5][block]], "{index}");
                let corrupt = matches!(error, RecordError::Corrupt { offset, .. } if offset == ends[block] as u64);
                assert!(corrupt, "{index}: {error}");
            }
        }
    }

    #[test]
    fn invalid_blocks_with_valid_checksums_are_errors() {
        let sealed = |count: u32, plain: u32, content: &[u8]| {
            let mut bytes = header().encode().unwrap();
            let begin = bytes.len();
            bytes.extend(BLOCK_MAGIC);
            for number in [count, content.len() as u32, plain, crc32fast::hash(content)] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(crc32fast::hash(&bytes[begin..]).to_le_bytes());
            bytes.extend(content);
            read(&bytes).1.map(|error| error.to_string()).unwrap_or_default()
        };
        let bomb = zstd::bulk::compress(&vec![0; 1 << 20], 3).unwrap();
        assert!(sealed(1, 1000, &bomb).contains("damaged"));
        assert!(sealed(1, u32::MAX, &bomb).contains("longer than"));
        assert!(sealed(1, 2 << 20, &bomb).contains("instead of 2097152"));
        assert!(sealed(1, 1 << 20, &bomb).contains("king"));
        assert!(sealed(0, 0, &zstd::bulk::compress(&[], 3).unwrap()).contains("0 games"));
        assert!(sealed(1, 10, b"no frame").contains("damaged"));
    }

    #[test]
    fn arbitrary_files_cause_no_panic() {
        let mut rng = crate::rng::Rng::new(5);
        for length in 0..200 {
            let noise: Vec<u8> = (0..length).map(|_| rng.next() as u8).collect();
            assert!(matches!(read(&noise).1, Some(RecordError::NotRecords)));
            let mut bytes = header().encode().unwrap();
            bytes.extend(noise);
            assert_eq!(read(&bytes).1.is_some(), length > 0);
        }
        let mut version = header().encode().unwrap();
        version[8] = 9;
        assert!(matches!(read(&version).1, Some(RecordError::Version(9))));
        assert!(read(b"lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1 | 5 | 0.5").1.is_some());
    }
}
