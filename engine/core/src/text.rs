//! Untrusted text in messages, and parsing of words and numbers.

/// The maximum number of characters of untrusted text that a message quotes.
const MAX_QUOTED: usize = 40;

/// Quotes a text for one line of a terminal: control characters are escaped, and text longer than a few words is
/// truncated.
pub fn quoted(text: &str) -> String {
    format!("'{}'", printable(text, MAX_QUOTED))
}

/// Makes a text fit for one line of a terminal: control characters are escaped, and it is truncated to `limit`
/// characters.
pub fn printable(text: &str, limit: usize) -> String {
    let mut printable = String::new();
    for (index, letter) in text.chars().enumerate() {
        if index == limit {
            printable.push('…');
            break;
        }
        if letter.is_control() || letter == char::REPLACEMENT_CHARACTER {
            printable.extend(letter.escape_default());
        } else {
            printable.push(letter);
        }
    }
    printable
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_is_escaped_and_truncated() {
        assert_eq!(quoted("a\0b\x1b[2J\u{fffd}"), "'a\\u{0}b\\u{1b}[2J\\u{fffd}'");
        assert_eq!(quoted(&"é".repeat(1000)), format!("'{}…'", "é".repeat(MAX_QUOTED)));
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
