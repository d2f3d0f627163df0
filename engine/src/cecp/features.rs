//! The `feature` lines.

use crate::session::about::NAME;
use agoge_core::options::{Client, Id, Kind, Options};
use std::fmt::Write;

/// All `feature` lines.
pub(super) fn announcement(options: &Options) -> String {
    let mut text = format!(
        "feature done=0\n\
         feature ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=1 sigint=0 sigterm=0 reuse=1\n\
         feature analyze=1 colors=0 ics=0 name=0 pause=0 nps=1 debug=1 memory=1 smp=1\n\
         feature myname=\"{NAME}\"\n\
         feature variants=\"spartan,normal\"\n"
    );
    for &id in Id::ALL.iter().filter(|id| id.is_for(Client::Cecp)) {
        let _ = writeln!(text, "feature option=\"{}\"", declaration(id, options));
    }
    text.push_str("feature done=1");
    text
}

/// The declaration of an option: name, type, current value and valid values.
fn declaration(id: Id, options: &Options) -> String {
    let (name, value) = (id.name(), options.text(id));
    match id.kind() {
        Kind::Check => format!("{name} -check {}", u8::from(value == "true")),
        Kind::Spin(min, max) => format!("{name} -spin {value} {min} {max}"),
        Kind::Combo(words) => {
            let words: Vec<String> =
                words.iter().map(|&word| if word == value { format!("*{word}") } else { word.to_owned() }).collect();
            format!("{name} -combo {}", words.join(" /// "))
        }
        Kind::Button => format!("{name} -button"),
        Kind::File => format!("{name} -file "),
        Kind::Folders => format!("{name} -path "),
    }
}

/// Converts the value of an option to the format of [`Options::set`]: CECP writes true and false as 1 and 0.
pub(super) fn value<'a>(name: &str, value: &'a str) -> &'a str {
    let check = Id::from_name(name).is_some_and(|id| id.kind() == Kind::Check);
    match value {
        "1" if check => "true",
        "0" if check => "false",
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_all_kinds() {
        let options = Options { skill_level: 7, use_nnue: false, ..Options::default() };
        for (id, expected) in [
            (Id::SkillLevel, "Skill Level -spin 7 0 20"),
            (Id::UseNnue, "Use NNUE -check 0"),
            (Id::OwnBook, "OwnBook -check 0"),
            (Id::ClearHash, "Clear Hash -button"),
            (Id::EvalFile, "EvalFile -file "),
            (Id::Variant, "UCI_Variant -combo *spartan /// chess /// standard"),
        ] {
            assert_eq!(declaration(id, &options), expected);
        }
    }

    #[test]
    fn flags_are_numbers() {
        for (name, text, expected) in [("Use NNUE", "0", "false"), ("ownbook", "1", "true"), ("Skill Level", "1", "1")]
        {
            assert_eq!(value(name, text), expected);
        }
    }
}
