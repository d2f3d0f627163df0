//! Untrusted text in messages, text of files, and parsing of words and numbers.

use crate::files::byte_of;

/// The maximum number of characters of untrusted text that a message quotes.
const MAX_QUOTED: usize = 40;

/// Quotes a text for one line of a terminal: control characters are escaped, and text longer than a few words is
/// truncated.
pub fn quoted(text: &str) -> String {
    format!("'{}'", printable(text, MAX_QUOTED))
}

/// Makes a text fit for one line of a terminal: control characters are escaped, and it is truncated to `limit`
/// characters as they are printed.
pub fn printable(text: &str, limit: usize) -> String {
    let mut printable = String::new();
    let mut free = limit;
    for letter in text.chars() {
        let begin = printable.len();
        if let Some(byte) = byte_of(letter) {
            printable.extend(std::ascii::escape_default(byte).map(char::from));
        } else if letter.is_control() || letter == char::REPLACEMENT_CHARACTER {
            printable.extend(letter.escape_default());
        } else {
            printable.push(letter);
        }
        let width = printable[begin..].chars().count();
        if width > free {
            printable.truncate(begin);
            printable.push('…');
            break;
        }
        free -= width;
    }
    printable
}

/// A number with a noun in the singular or the plural: `counted(1, "move", "moves")` is `1 move`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Splits off the first word. The rest is trimmed.
pub fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    match text.split_once(|letter: char| letter.is_ascii_whitespace()) {
        Some((word, rest)) => (word, rest.trim_ascii()),
        None => (text, ""),
    }
}

/// Parses an integer in decimal digits, with or without a sign. Values out of range saturate.
pub fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value =
        digits.bytes().fold(0i64, |value, byte| value.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    Some(if negative { -value } else { value })
}

/// Whether a letter has no width. Programs that copy or convert text leave such letters behind, above all the byte
/// order mark U+FEFF.
pub const fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Whether a letter is a byte order mark, as files that were joined have in their midst, or one of the bytes NUL and ^Z
/// with which some programs fill or end a file.
pub const fn is_filler(letter: char) -> bool {
    matches!(letter, '\u{feff}' | '\0' | '\x1a')
}

/// Decodes the text of a file of lines as [`unicode`] does. Line ends become line feeds, and [fillers](is_filler) are
/// dropped.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = unicode(bytes);
    if text.contains('\r') {
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    text.retain(|letter| !is_filler(letter));
    text
}

/// Decodes the text of a file. It is UTF-16 if it has such a byte order mark and mostly ASCII letters; otherwise UTF-8,
/// and bytes that are not are Latin-1.
pub fn unicode(bytes: &[u8]) -> String {
    // Two other bytes at the start of a damaged file must not make all of it unreadable.
    let mostly_ascii = |high: usize| {
        let zeros = bytes.iter().skip(2 + high).step_by(2).filter(|&&byte| byte == 0).count();
        zeros > bytes.len() / 4
    };
    let utf16 = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xFF, 0xFE, ..] if mostly_ascii(1) => utf16(u16::from_le_bytes),
        [0xFE, 0xFF, ..] if mostly_ascii(0) => utf16(u16::from_be_bytes),
        _ => utf8_or_latin1(bytes),
    }
}

fn utf8_or_latin1(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().copied().map(char::from));
    }
    text
}

/// The letters outside of double quotes, with their places. Within quotes a backslash escapes a quote or a backslash; a
/// quote that is not closed is an ordinary letter.
pub fn unquoted(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    let mut has_closed_quotes = true;
    std::iter::from_fn(move || {
        while has_closed_quotes && let Some(length) = quoted_length(&text[at..]) {
            at += length;
        }
        let letter = text[at..].chars().next()?;
        has_closed_quotes &= letter != '"';
        let place = at;
        at += letter.len_utf8();
        Some((place, letter))
    })
}

/// Splits a text at a separator outside of [quotes](unquoted).
pub fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut begin = Some(0);
    let mut letters = unquoted(text);
    std::iter::from_fn(move || {
        let from = begin?;
        let end = letters.find(|&(_, letter)| letter == separator).map(|(at, _)| at);
        begin = end.map(|end| end + separator.len_utf8());
        Some(&text[from..end.unwrap_or(text.len())])
    })
}

/// The length of the quoted text, with its quotes, with which a text begins.
pub fn quoted_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in text.strip_prefix('"')?.bytes().enumerate() {
        match letter {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 2),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_is_escaped_and_truncated() {
        assert_eq!(quoted("a\0b\x1b[2J\u{fffd}"), "'a\\u{0}b\\u{1b}[2J\\u{fffd}'");
        assert_eq!(quoted(&"é".repeat(1000)), format!("'{}…'", "é".repeat(MAX_QUOTED)));
        assert_eq!(quoted(&"é".repeat(MAX_QUOTED)), format!("'{}'", "é".repeat(MAX_QUOTED)));
        assert_eq!(quoted(&"\u{fffd}".repeat(1000)), format!("'{}…'", "\\u{fffd}".repeat(MAX_QUOTED / 8)));
    }

    #[test]
    fn files_are_decoded() {
        let utf16 = |little: bool| -> Vec<u8> {
            let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            "\u{feff}a\r\né\r\n".encode_utf16().flat_map(bytes).collect()
        };
        for bytes in [
            "a\né\n".as_bytes(),
            "\u{feff}a\r\né\r\n".as_bytes(),
            "a\ré\r".as_bytes(),
            "a\n\u{feff}é\n\x1a\0\0".as_bytes(),
            b"a\n\xe9\n",
            b"\xef\xbb\xbfa\r\n\xe9\r\n",
            &utf16(true),
            &utf16(false),
        ] {
            assert_eq!(decode(bytes), "a\né\n", "{bytes:?}");
        }
        assert_eq!(decode(b"\xc3\xa9\n\xe9\n"), "é\né\n");
        assert_eq!(decode(b"\xff\xfea\nb"), "ÿþa\nb");
        assert_eq!(decode(b""), "");
    }

    #[test]
    fn quotes_protect_separators() {
        for (text, parts) in [
            ("a;b", &["a", "b"][..]),
            ("", &[""]),
            (";", &["", ""]),
            ("a \"b;c\";d", &["a \"b;c\"", "d"]),
            ("\"a\\\";b\";c", &["\"a\\\";b\"", "c"]),
            ("\"a\\\\\";b", &["\"a\\\\\"", "b"]),
            ("\"a;b", &["\"a", "b"]),
            ("\"C:\\\";b", &["\"C:\\\"", "b"]),
        ] {
            assert_eq!(split_unquoted(text, ';').collect::<Vec<_>>(), parts, "{text}");
        }
        // Not a scan of the rest for each quote.
        assert_eq!(split_unquoted(&"\\\"".repeat(1 << 20), ';').count(), 1);
        assert_eq!(split_unquoted(&format!("\"{}", "\\\"".repeat(1 << 20)), ';').count(), 1);
    }

    #[test]
    fn words_and_numbers() {
        assert_eq!(split_word("  go \t depth  5 "), ("go", "depth  5"));
        assert_eq!(split_word(" \t"), ("", ""));
        assert_eq!(integer("007"), Some(7));
        assert_eq!(integer("-5"), Some(-5));
        assert_eq!(integer("99999999999999999999999"), Some(i64::MAX));
        assert_eq!(integer("-99999999999999999999999"), Some(-i64::MAX));
        for bad in ["", "-", "+", "1.5", "1e3", "0x10", "abc", "١"] {
            assert_eq!(integer(bad), None, "{bad}");
        }
    }
}
