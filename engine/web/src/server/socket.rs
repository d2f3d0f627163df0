//! The frames of a WebSocket. `tungstenite::WebSocket` ends a connection with a message that is too long; here its rest
//! is skipped, without memory for it, and the next message is read.

use std::io::{self, BufRead, BufReader, Read, Write};
use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{Control, Data, OpCode};

/// The maximum size of the payload of a control frame.
const MAX_CONTROL: u64 = 125;

/// The maximum size of the payload of a frame that is written.
const MAX_FRAME: usize = 1 << 20;

/// A message of the page.
#[derive(Debug, PartialEq, Eq)]
pub enum Message {
    Text(String),
    Binary,
    /// Longer than allowed.
    TooLong,
    Ping(Vec<u8>),
    /// The page closes the connection, and may say why.
    Close(Vec<u8>),
}

/// Reads messages.
pub struct Reader<R> {
    input: BufReader<R>,
    max_size: usize,
    /// The beginning of a message of several frames; control frames may come in between.
    partial: Option<Partial>,
}

struct Partial {
    is_text: bool,
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl<R: Read> Reader<R> {
    pub fn new(input: R, max_size: usize) -> Self {
        Self { input: BufReader::new(input), max_size, partial: None }
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// If the connection has ended, or does not follow the protocol.
    pub fn read(&mut self) -> io::Result<Message> {
        loop {
            let (header, length) = self.read_header()?;
            let mask = header.mask.ok_or(io::ErrorKind::InvalidData)?;
            match header.opcode {
                OpCode::Control(_) if !header.is_final || length > MAX_CONTROL => {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                OpCode::Control(control) => {
                    let mut payload = Vec::new();
                    self.read_payload(length, mask, &mut payload)?;
                    match control {
                        Control::Close => return Ok(Message::Close(payload)),
                        Control::Ping => return Ok(Message::Ping(payload)),
                        _ => {}
                    }
                }
                OpCode::Data(data) => {
                    if let Some(message) = self.read_data(data, header.is_final, length, mask)? {
                        return Ok(message);
                    }
                }
            }
        }
    }

    /// Reads a frame with data. Returns the message if this was its last one.
    fn read_data(&mut self, data: Data, is_final: bool, length: u64, mask: [u8; 4]) -> io::Result<Option<Message>> {
        let mut partial = match (data, self.partial.take()) {
            (Data::Continue, Some(partial)) => partial,
            (Data::Text | Data::Binary, None) => {
                Partial { is_text: data == Data::Text, bytes: Vec::new(), is_too_long: false }
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        partial.is_too_long |= length > (self.max_size - partial.bytes.len()) as u64;
        if partial.is_too_long {
            partial.bytes = Vec::new();
            self.skip(length)?;
        } else {
            self.read_payload(length, mask, &mut partial.bytes)?;
        }
        if !is_final {
            self.partial = Some(partial);
            return Ok(None);
        }
        Ok(Some(match partial {
            Partial { is_too_long: true, .. } => Message::TooLong,
            Partial { is_text: false, .. } => Message::Binary,
            Partial { bytes, .. } => Message::Text(String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData)?),
        }))
    }

    /// Reads the header of a frame and the length of its payload.
    fn read_header(&mut self) -> io::Result<(FrameHeader, u64)> {
        let mut bytes = Vec::new();
        loop {
            let mut byte = [0];
            self.input.read_exact(&mut byte)?;
            bytes.extend(byte);
            match FrameHeader::parse(&mut io::Cursor::new(&bytes)) {
                Ok(Some((header, _))) if header.rsv1 || header.rsv2 || header.rsv3 => break,
                Ok(Some(parsed)) => return Ok(parsed),
                Ok(None) => {}
                Err(_) => break,
            }
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    /// Appends a payload.
    fn read_payload(&mut self, length: u64, mask: [u8; 4], bytes: &mut Vec<u8>) -> io::Result<()> {
        let begin = bytes.len();
        let count = self.input.by_ref().take(length).read_to_end(bytes)?;
        if count as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (byte, mask) in bytes[begin..].iter_mut().zip(mask.into_iter().cycle()) {
            *byte ^= mask;
        }
        Ok(())
    }

    fn skip(&mut self, mut length: u64) -> io::Result<()> {
        while length > 0 {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?.len(),
            };
            if available == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let count = available.min(usize::try_from(length).unwrap_or(usize::MAX));
            self.input.consume(count);
            length -= count as u64;
        }
        Ok(())
    }
}

/// Writes a message. A long one has several frames, because many clients limit their size.
pub fn write_text(output: &mut impl Write, text: &str) -> io::Result<()> {
    let mut opcode = OpCode::Data(Data::Text);
    let mut rest = text.as_bytes();
    while rest.len() > MAX_FRAME {
        let (frame, after) = rest.split_at(MAX_FRAME);
        write_frame(output, opcode, false, frame)?;
        (opcode, rest) = (OpCode::Data(Data::Continue), after);
    }
    write_frame(output, opcode, true, rest)
}

pub fn write_control(output: &mut impl Write, control: Control, payload: &[u8]) -> io::Result<()> {
    write_frame(output, OpCode::Control(control), true, payload)
}

fn write_frame(output: &mut impl Write, opcode: OpCode, is_final: bool, payload: &[u8]) -> io::Result<()> {
    let header = FrameHeader { is_final, opcode, ..FrameHeader::default() };
    let mut frame = Vec::new();
    header.format(payload.len() as u64, &mut frame).map_err(io::Error::other)?;
    // As a single packet.
    frame.extend_from_slice(payload);
    output.write_all(&frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASK: [u8; 4] = [1, 2, 3, 4];

    fn frame(opcode: OpCode, is_final: bool, payload: &[u8]) -> Vec<u8> {
        let header = FrameHeader { is_final, opcode, mask: Some(MASK), ..FrameHeader::default() };
        let mut bytes = Vec::new();
        header.format(payload.len() as u64, &mut bytes).expect("memory");
        bytes.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        bytes
    }

    fn text(payload: &str) -> Vec<u8> {
        frame(OpCode::Data(Data::Text), true, payload.as_bytes())
    }

    fn read_all(bytes: &[u8]) -> (Vec<Message>, io::ErrorKind) {
        let mut reader = Reader::new(bytes, 10);
        let mut messages = Vec::new();
        loop {
            match reader.read() {
                Ok(message) => messages.push(message),
                Err(error) => return (messages, error.kind()),
            }
        }
    }

    #[test]
    fn messages_are_read_and_long_ones_skipped() {
        let first = |payload: &[u8]| frame(OpCode::Data(Data::Text), false, payload);
        let next = |payload: &[u8], is_final| frame(OpCode::Data(Data::Continue), is_final, payload);
        let ping = frame(OpCode::Control(Control::Ping), true, b"p");
        let euro = "€".as_bytes();
        let bytes = [
            text("1234567890"),
            text("12345678901"),
            text(&"x".repeat(70_000)),
            // A letter in two frames, with a ping in between.
            first(&euro[..1]),
            ping,
            next(&euro[1..], true),
            first(b"123456"),
            next(b"123456", false),
            next(b"1", true),
            frame(OpCode::Data(Data::Binary), true, b"b"),
            frame(OpCode::Control(Control::Pong), true, b""),
            text("end"),
            frame(OpCode::Control(Control::Close), true, b""),
        ]
        .concat();
        let (messages, end) = read_all(&bytes);
        let expected = [
            Message::Text("1234567890".into()),
            Message::TooLong,
            Message::TooLong,
            Message::Ping(b"p".to_vec()),
            Message::Text("€".into()),
            Message::TooLong,
            Message::Binary,
            Message::Text("end".into()),
            Message::Close(Vec::new()),
        ];
        assert_eq!((&messages[..], end), (&expected[..], io::ErrorKind::UnexpectedEof));
        for length in 0..bytes.len() {
            assert_eq!(read_all(&bytes[..length]).1, io::ErrorKind::UnexpectedEof, "{length}");
        }
    }

    #[test]
    fn what_is_no_web_socket_is_an_error() {
        let unmasked = [0x81, 1, b'x'];
        let reserved = [0xf1, 0x80, 1, 2, 3, 4];
        let unknown = [0x83, 0x80, 1, 2, 3, 4];
        // The longest payload that a header can name.
        let endless = [&[0x81, 0xff][..], &[0xff; 8], &MASK, b"x"].concat();
        assert_eq!(read_all(&endless).1, io::ErrorKind::UnexpectedEof);
        for bytes in [
            &unmasked[..],
            &reserved,
            &unknown,
            &frame(OpCode::Data(Data::Continue), true, b"x"),
            &[frame(OpCode::Data(Data::Text), false, b"x"), text("y")].concat(),
            &frame(OpCode::Control(Control::Ping), false, b"x"),
            &frame(OpCode::Control(Control::Ping), true, &[0; 126]),
            &frame(OpCode::Data(Data::Text), true, b"\xff"),
        ] {
            assert_eq!(read_all(bytes), (Vec::new(), io::ErrorKind::InvalidData), "{bytes:?}");
        }
    }

    #[test]
    fn long_messages_have_several_frames() {
        let heads = |length| {
            let mut bytes = Vec::new();
            write_text(&mut bytes, &"x".repeat(length)).expect("memory");
            let (mut rest, mut heads) = (&bytes[..], Vec::new());
            while !rest.is_empty() {
                let mut cursor = io::Cursor::new(rest);
                let (header, length) = FrameHeader::parse(&mut cursor).expect("a frame").expect("a whole one");
                heads.push((rest[0], length as usize));
                assert_eq!(header.mask, None);
                rest = &rest[cursor.position() as usize + length as usize..];
            }
            heads
        };
        for length in [0, 1, 125, 126, 65_536, MAX_FRAME] {
            assert_eq!(heads(length), [(0x81, length)]);
        }
        assert_eq!(heads(2 * MAX_FRAME + 7), [(0x01, MAX_FRAME), (0x00, MAX_FRAME), (0x80, 7)]);
    }
}
