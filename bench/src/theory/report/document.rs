//! A document with parts that the program writes. A part is between two comments, such as
//! `<!-- theory:first-moves -->` and `<!-- /theory:first-moves -->`.

/// A part of the document: the table, and the command that makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub name: &'static str,
    pub text: String,
}

fn marks(name: &str) -> [String; 2] {
    [format!("<!-- theory:{name} -->"), format!("<!-- /theory:{name} -->")]
}

impl Part {
    /// The part with its comments.
    pub fn marked(&self) -> String {
        let [begin, end] = marks(self.name);
        format!("{begin}\n{}\n{end}\n", self.text.trim_end())
    }

    /// The range of the part in a document, without the end of the last line.
    fn find(&self, document: &str) -> Result<std::ops::Range<usize>, String> {
        let [begin, end] = marks(self.name);
        let from = document.find(&begin).ok_or_else(|| format!("the document has no line {begin}"))?;
        let length = document[from..].find(&end).ok_or_else(|| format!("the document has no line {end}"))?;
        Ok(from..from + length + end.len())
    }

    /// The document with this part.
    ///
    /// # Errors
    /// If the document has no place for it.
    pub fn insert(&self, document: &str) -> Result<String, String> {
        let range = self.find(document)?;
        Ok([&document[..range.start], self.marked().trim_end(), &document[range.end..]].concat())
    }

    /// Whether the document has just this part.
    ///
    /// # Errors
    /// If the document has no place for it.
    pub fn is_in(&self, document: &str) -> Result<bool, String> {
        Ok(&document[self.find(document)?] == self.marked().trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_replaced() {
        let part = Part { name: "one", text: "| 1 |\n".to_owned() };
        let document = "a\n<!-- theory:one -->\nold\n<!-- /theory:one -->\nb\n";
        assert_eq!(part.is_in(document), Ok(false));
        let new = part.insert(document).unwrap();
        assert_eq!(new, "a\n<!-- theory:one -->\n| 1 |\n<!-- /theory:one -->\nb\n");
        assert_eq!((part.is_in(&new), part.insert(&new)), (Ok(true), Ok(new.clone())));
        let other = Part { name: "two", text: String::new() };
        assert!(other.insert(document).unwrap_err().contains("no line <!-- theory:two -->"));
        assert!(part.insert("<!-- theory:one -->").unwrap_err().contains("no line <!-- /theory:one -->"));
    }
}
