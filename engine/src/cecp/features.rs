//! The `feature` lines.

use crate::session::about::NAME;
use agoge_core::options::{Id, Kind, Options};
use std::fmt::Write;

/// Options that have their own commands in this protocol (`memory`, `cores`, `hard`, `nps`, `variant`, `analyze`) or no
/// meaning in it.
const HIDDEN: [Id; 7] = [Id::Hash, Id::Threads, Id::Ponder, Id::NodesTime, Id::Variant, Id::AnalyseMode, Id::ShowWdl];

/// All `feature` lines.
pub(super) fn announcement(options: &Options) -> String {
    let mut text = format!(
        "feature done=0\n\
         feature ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=1 sigint=0 sigterm=0 reuse=1\n\
         feature analyze=1 colors=0 ics=0 name=0 pause=0 nps=1 debug=1 memory=1 smp=1\n\
         feature myname=\"{NAME}\"\n\
         feature variants=\"spartan,normal\"\n"
    );
    for &id in Id::ALL.iter().filter(|id| !HIDDEN.contains(id)) {
        let _ = writeln!(text, "feature option=\"{}\"", declaration(id, options));
    }
    text.push_str("feature done=1");
    text
}

/// The declaration of an option: name, type, current value and valid values.
fn declaration(id: Id, options: &Options) -> String {
    let name = id.name();
    match id.kind() {
        Kind::Check { .. } => format!("{name} -check {}", options.number(id)),
        Kind::Spin(range) => format!("{name} -spin {} {} {}", options.number(id), range.min, range.max),
        Kind::Combo(words) => {
            let current = options.variant.name();
            let words: Vec<String> =
                words.iter().map(|&word| if word == current { format!("*{word}") } else { word.to_owned() }).collect();
            format!("{name} -combo {}", words.join(" /// "))
        }
        Kind::Button => format!("{name} -button"),
        Kind::File => format!("{name} -file "),
        Kind::Folders => format!("{name} -path "),
    }
}

/// Converts the value of an option to the format of
/// [`OptionValue::parse`](crate::session::OptionValue::parse): CECP writes
/// true and false as 1 and 0.
pub(super) fn value<'a>(name: &str, value: &'a str) -> &'a str {
    let check = Id::from_name(name).is_some_and(|id| matches!(id.kind(), Kind::Check { .. }));
    match value {
        "1" if check => "true",
        "0" if check => "false",
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::OptionValue;

    #[test]
    fn options_of_all_kinds() {
        let mut options = Options::default();
        options.set(Id::SkillLevel, &OptionValue::Number(7));
        options.set(Id::UseNnue, &OptionValue::Flag(false));
        for (id, expected) in [
            (Id::SkillLevel, "Skill Level -spin 7 0 20"),
            (Id::UseNnue, "Use NNUE -check 0"),
            (Id::LimitStrength, "UCI_LimitStrength -check 0"),
            (Id::ClearHash, "Clear Hash -button"),
            (Id::EvalFile, "EvalFile -file "),
            (Id::Variant, "UCI_Variant -combo *spartan /// chess /// standard"),
        ] {
            assert_eq!(declaration(id, &options), expected);
        }
    }

    #[test]
    fn values_are_numbers() {
        let parse = |name, text| OptionValue::parse(name, value(name, text));
        assert_eq!(parse("Use NNUE", "0"), Ok((Id::UseNnue, OptionValue::Flag(false))));
        assert_eq!(parse("Skill Level", "1"), Ok((Id::SkillLevel, OptionValue::Number(1))));
    }
}
