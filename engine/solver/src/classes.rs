//! All classes of Spartan Chess up to a number of men.

use super::moves::Material;
use agoge_core::tables::{Class, MAX_MEN};
use std::collections::HashSet;

/// All classes with at least two and at most `men` men, in an order in which each comes after those that captures and
/// promotions lead to.
pub fn all_classes(men: usize) -> Vec<Class> {
    let mut names = vec!["K".to_owned()];
    let mut classes = Vec::new();
    // The white men in order, then the black ones.
    for _ in 0..MAX_MEN {
        let longer: Vec<String> =
            names.iter().flat_map(|name| "QRBNPkgwclh".chars().map(move |letter| format!("{name}{letter}"))).collect();
        classes.extend(longer.iter().filter_map(|name| {
            let black = name.find(char::is_lowercase)?;
            format!("{}v{}", &name[..black], &name[black..]).parse::<Class>().ok()
        }));
        names = longer;
        if names[0].len() >= men {
            break;
        }
    }
    classes.sort_by_key(|class| (class.len(), class.to_string()));
    classes.dedup();
    in_order(&classes)
}

/// Some classes and all that captures and promotions lead to, each after those that it leads to.
pub fn in_order(wanted: &[Class]) -> Vec<Class> {
    let mut done = HashSet::new();
    let mut order = Vec::new();
    wanted.iter().for_each(|class| visit(class, &mut done, &mut order));
    order
}

fn visit(class: &Class, done: &mut HashSet<Class>, order: &mut Vec<Class>) {
    if done.insert(class.clone()) {
        Material::new(class).successors().iter().for_each(|successor| visit(successor, done, order));
        order.push(class.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_77_classes_of_up_to_four_men() {
        let count = |men| all_classes(men).len();
        assert_eq!([count(2), count(3), count(4), count(5)], [1, 12, 77, 352]);
    }

    #[test]
    fn successors_come_first() {
        let classes = all_classes(4);
        for (at, class) in classes.iter().enumerate() {
            for successor in Material::new(class).successors() {
                assert!(classes[..at].contains(&successor), "{class} {successor}");
            }
        }
        let names: Vec<String> = in_order(&["Kvkh".parse().unwrap()]).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["Kvk", "Kvkk", "Kvkg", "Kvkw", "Kvkc", "Kvkl", "Kvkh"]);
    }
}
