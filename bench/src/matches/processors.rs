//! The processors to which concurrent games are bound.

use super::engine::processors;

/// The processors for `games` concurrent games: those of a list such as `3,5,7-11`, or all of this program.
///
/// # Errors
/// If the list is malformed or names a processor that this program may not use, or if there are fewer than games.
pub fn choose(list: Option<&str>, games: usize) -> Result<Vec<usize>, String> {
    let available = processors().map_err(|error| error.to_string())?;
    let chosen = match list {
        None => available,
        Some(list) => {
            let chosen = parse(list)?;
            match chosen.iter().find(|processor| !available.contains(processor)) {
                None => chosen,
                Some(processor) => return Err(format!("there is no processor {processor}")),
            }
        }
    };
    if chosen.len() < games {
        return Err(format!("{games} concurrent games need as many processors, not {}", chosen.len()));
    }
    Ok(chosen)
}

/// Parses a list without repetitions.
fn parse(list: &str) -> Result<Vec<usize>, String> {
    let wrong = || format!("'{list}' is not a list of processors such as 0,2,4-7");
    let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number < 100_000).ok_or_else(wrong);
    let mut found = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        for processor in number(first)?..=number(last)? {
            if !found.contains(&processor) {
                found.push(processor);
            }
        }
    }
    if found.is_empty() { Err(wrong()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(parse("3,5,7-9,5"), Ok(vec![3, 5, 7, 8, 9]));
        for bad in ["", "x", "1,", "-1", "1-", "3-1", "1-1000000"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
