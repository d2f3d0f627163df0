//! Foreign text in our messages, and numbers as people write them.

/// The most characters of foreign text that a message repeats.
const SHOWN: usize = 40;

/// A text in quotes that is fit for one line of a terminal: control characters are escaped, and what
/// is longer than a few words is cut.
pub fn quoted(text: &str) -> String {
    format!("'{}'", shown(text, SHOWN))
}

/// A text that is fit for one line of a terminal: control characters are escaped, and what is longer
/// than `limit` characters is cut.
pub fn shown(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    for (index, letter) in text.chars().enumerate() {
        if index == limit {
            shown.push('…');
            break;
        }
        if letter.is_control() || letter == char::REPLACEMENT_CHARACTER {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Splits off the first word. The rest has no blanks around it.
pub fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    match text.split_once(|letter: char| letter.is_ascii_whitespace()) {
        Some((word, rest)) => (word, rest.trim_ascii()),
        None => (text, ""),
    }
}

/// A whole number in decimal digits, with or without a sign. What does not fit saturates.
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
    fn foreign_text_is_tamed() {
        assert_eq!(quoted("a\0b\x1b[2J\u{fffd}"), "'a\\u{0}b\\u{1b}[2J\\u{fffd}'");
        assert_eq!(quoted(&"é".repeat(1000)), format!("'{}…'", "é".repeat(SHOWN)));
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
