//! The `feature` lines.

use crate::protocol::options::{Id, Kind, Options};
use crate::protocol::uci::NAME;
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
    for id in Id::ALL.into_iter().filter(|id| !HIDDEN.contains(id)) {
        let _ = writeln!(text, "feature option=\"{}\"", declaration(id, options));
    }
    text.push_str("feature done=1");
    text
}

/// The declaration of an option: name, type, current value and valid values.
fn declaration(id: Id, options: &Options) -> String {
    let name = id.name();
    let value = |default: u32| options.number(id).unwrap_or(default);
    match id.kind() {
        Kind::Check { default } => format!("{name} -check {}", value(default.into())),
        Kind::Spin(range) => format!("{name} -spin {} {} {}", value(range.default), range.min, range.max),
        Kind::Combo(words) => {
            let current = options.variant.name();
            let words: Vec<String> =
                words.iter().map(|&word| if word == current { format!("*{word}") } else { word.to_owned() }).collect();
            format!("{name} -combo {}", words.join(" /// "))
        }
        Kind::Button => format!("{name} -button"),
        // All are file names.
        Kind::Text => format!("{name} -file "),
    }
}

/// Converts the value of an option to the format of [`Setting::parse`](crate::protocol::Setting::parse): CECP writes
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
    use crate::protocol::Setting;

    #[test]
    fn options_of_all_kinds() {
        let options = Options { skill_level: 7, use_nnue: false, ..Options::default() };
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
        assert_eq!(Setting::parse("Use NNUE", value("Use NNUE", "0")), Ok(Setting::Flag(Id::UseNnue, false)));
        assert_eq!(Setting::parse("Skill Level", value("Skill Level", "1")), Ok(Setting::Number(Id::SkillLevel, 1)));
    }
}
