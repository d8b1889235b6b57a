//! A parser for JSON that records where each value begins and ends, and which value contains which.
//!
//! A document is a sequence of values, each on lines of its own: usually one, in JSON Lines many. All
//! nodes lie in one array in the order of the text, so a value with everything inside it is a range of
//! the array. Nothing here recurses, so deep nesting needs memory for its nodes but no stack.

/// The number of the node that stands for the whole sequence of values.
pub(crate) const WHOLE: u32 = 0;

/// The offset of the bracket of a value that has none.
const NO_BRACKET: u32 = u32::MAX;

/// An element of an array, a member of an object, or a value of the sequence.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The offset of the first byte; a member begins with its name.
    start: u32,
    /// The offset after the last byte.
    end: u32,
    /// The offset of the opening bracket of an array or object; [`NO_BRACKET`] for other values.
    open: u32,
    /// The first node that is not inside this one.
    next: u32,
    parent: u32,
}

/// The values of a text.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    nodes: Vec<Node>,
}

/// The first position at which a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct JsonError {
    /// The line of the position, counted from 1.
    pub line: usize,
    /// The column of the position in characters, counted from 1.
    pub column: usize,
    expected: &'static str,
    found: String,
}

impl JsonError {
    fn at(text: &[u8], at: usize, expected: &'static str) -> Self {
        let line_start = text[..at].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        let line = text[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&text[line_start..at]).chars().count() + 1;
        let seen = &text[at..text.len().min(at + 4)];
        let found = match String::from_utf8_lossy(seen).chars().next() {
            Some(c) => format!("'{}'", c.escape_debug().to_string().replace("\\'", "'")),
            None => "the end of the text".to_owned(),
        };
        Self { line, column, expected, found }
    }
}

impl Document {
    /// Parses a text of less than 4 GiB.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, JsonError> {
        let whole =
            Node { start: 0, end: text.len() as u32, open: NO_BRACKET, next: 1, parent: WHOLE };
        let mut parser = Parser { text, at: 0, nodes: vec![whole] };
        parser.values()?;
        let mut nodes = parser.nodes;
        nodes[0].next = nodes.len() as u32;
        nodes.shrink_to_fit();
        Ok(Self { nodes })
    }

    /// Whether a text begins like JSON. A plain list of lines does not.
    pub(crate) fn begins_like_json(text: &[u8]) -> bool {
        let first = text.iter().find(|byte| !is_blank(**byte));
        matches!(first, Some(b'[' | b'{' | b'"'))
    }

    /// The number of nodes, including the one of the whole sequence.
    pub(crate) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The offset of the first byte of a node.
    pub(crate) fn start(&self, node: u32) -> usize {
        self.nodes[node as usize].start as usize
    }

    /// The offset after the last byte of a node.
    pub(crate) fn end(&self, node: u32) -> usize {
        self.nodes[node as usize].end as usize
    }

    /// The offset of the opening bracket of an array or object.
    pub(crate) fn open(&self, node: u32) -> Option<usize> {
        let open = self.nodes[node as usize].open;
        (open != NO_BRACKET).then_some(open as usize)
    }

    /// The first node that is not inside this one.
    pub(crate) fn next(&self, node: u32) -> u32 {
        self.nodes[node as usize].next
    }

    /// The node that directly contains this one.
    pub(crate) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    /// Whether the node contains others.
    pub(crate) fn has_children(&self, node: u32) -> bool {
        self.next(node) > node + 1
    }

    /// The nodes that this one directly contains, in order.
    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.next(node);
        let first = Some(node + 1).filter(|&first| first < end);
        std::iter::successors(first, move |&child| {
            Some(self.next(child)).filter(|&next| next < end)
        })
    }

    /// The child of `node` that contains the node `deeper` or is that node.
    pub(crate) fn child_towards(&self, deeper: u32, node: u32) -> u32 {
        let mut child = deeper;
        while self.parent(child) != node {
            child = self.parent(child);
        }
        child
    }

    /// The array or object that is the only value of the text, if there is one and it is not empty.
    pub(crate) fn container(&self) -> Option<u32> {
        let first = WHOLE + 1;
        let alone = self.len() > first && self.next(first) == self.len();
        (alone && self.has_children(first)).then_some(first)
    }
}

/// The start of the blanks that end at an offset.
pub(crate) fn start_of_blanks(text: &[u8], end: usize) -> usize {
    text[..end].iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}

/// The end of the blanks that start at an offset.
pub(crate) fn end_of_blanks(text: &[u8], start: usize) -> usize {
    let blanks = text[start..].iter().position(|&byte| !is_blank(byte));
    blanks.map_or(text.len(), |blanks| start + blanks)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
}

impl Parser<'_> {
    /// Parses all values of the sequence.
    fn values(&mut self) -> Result<(), JsonError> {
        self.blanks();
        let mut parent = WHOLE;
        while parent != WHOLE || self.at < self.text.len() {
            match self.element(parent)? {
                // The element is a container, and the next element is inside it.
                Some(inside) => parent = inside,
                None => parent = self.leave(parent)?,
            }
        }
        Ok(())
    }

    /// Parses an element to its end or, if it is a container that is not empty, to its first child. Returns
    /// that container.
    fn element(&mut self, parent: u32) -> Result<Option<u32>, JsonError> {
        let start = self.at as u32;
        let node = self.nodes.len() as u32;
        if self.bracket(parent) == Some(b'{') {
            match self.peek() {
                Some(b'"') => self.string()?,
                _ => return self.fail("a name in double quotes"),
            }
            self.blanks();
            self.expect(b':', "':'")?;
            self.blanks();
        }
        let open = self.at as u32;
        self.nodes.push(Node { start, end: 0, open: NO_BRACKET, next: node + 1, parent });
        if let Some(bracket @ (b'[' | b'{')) = self.peek() {
            self.at += 1;
            self.nodes[node as usize].open = open;
            self.blanks();
            if self.peek() != Some(closing(bracket)) {
                return Ok(Some(node));
            }
            self.at += 1;
        } else {
            self.scalar()?;
        }
        self.nodes[node as usize].end = self.at as u32;
        Ok(None)
    }

    /// Advances from the end of an element to the next one, leaving all containers that end in between.
    /// Returns the node that contains the next element.
    fn leave(&mut self, parent: u32) -> Result<u32, JsonError> {
        let mut parent = parent;
        while let Some(bracket) = self.bracket(parent) {
            self.blanks();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.blanks();
                    return Ok(parent);
                }
                Some(byte) if byte == closing(bracket) => self.at += 1,
                _ if bracket == b'[' => return self.fail("',' or ']'"),
                _ => return self.fail("',' or '}'"),
            }
            let next = self.nodes.len() as u32;
            let node = &mut self.nodes[parent as usize];
            (node.end, node.next) = (self.at as u32, next);
            parent = node.parent;
        }
        let end = self.at;
        self.blanks();
        if self.at < self.text.len() && !self.text[end..self.at].contains(&b'\n') {
            return self.fail("the end of the line");
        }
        Ok(WHOLE)
    }

    /// The opening bracket of an array or object.
    fn bracket(&self, node: u32) -> Option<u8> {
        let open = self.nodes[node as usize].open;
        (open != NO_BRACKET).then(|| self.text[open as usize])
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips blanks.
    fn blanks(&mut self) {
        self.at = end_of_blanks(self.text, self.at);
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, JsonError> {
        Err(JsonError::at(self.text, self.at, expected))
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), JsonError> {
        if self.peek() != Some(byte) {
            return self.fail(expected);
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"') => return self.string(),
            Some(b'-' | b'0'..=b'9') => return self.number(),
            _ => {}
        }
        for word in ["true", "false", "null"] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(());
            }
        }
        self.fail("a value")
    }

    /// Parses a string. Bytes that are not UTF-8 are accepted, since a program that fails on them is a
    /// reason to search.
    fn string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    let digits = match self.peek() {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 0,
                        Some(b'u') => 4,
                        _ => return self.fail("one of \"\\/bfnrtu after a backslash"),
                    };
                    self.at += 1;
                    for _ in 0..digits {
                        if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                            return self.fail("four hexadecimal digits");
                        }
                        self.at += 1;
                    }
                }
                Some(0..0x20) | None => return self.fail("the rest of a string"),
                Some(_) => self.at += 1,
            }
        }
    }

    fn number(&mut self) -> Result<(), JsonError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return self.fail("a digit");
        }
        self.at += digits;
        Ok(())
    }
}

fn closing(bracket: u8) -> u8 {
    if bracket == b'[' { b']' } else { b'}' }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Document::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_position() {
        assert_eq!(error("[1, 2,]"), "line 1, column 7: expected a value, found ']'");
        assert_eq!(
            error("{\n  'a': 1}"),
            "line 2, column 3: expected a name in double quotes, found '''"
        );
        assert_eq!(error("[1"), "line 1, column 3: expected ',' or ']', found the end of the text");
        assert_eq!(error("{\"é\" 1}"), "line 1, column 6: expected ':', found '1'");
        assert_eq!(error("[01]"), "line 1, column 3: expected ',' or ']', found '1'");
        assert_eq!(error("[1] x"), "line 1, column 5: expected the end of the line, found 'x'");
        assert_eq!(
            error("\"a\nb\""),
            "line 1, column 3: expected the rest of a string, found '\\n'"
        );
    }

    #[test]
    fn nodes_know_their_children_and_their_successors() {
        let text = br#"{"a": [1, {}], "b": "]"}"#;
        let document = Document::parse(text).unwrap();
        let texts = |node| {
            let bytes = &text[document.start(node)..document.end(node)];
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        assert_eq!(document.container(), Some(1));
        let members: Vec<String> = document.children(1).map(texts).collect();
        assert_eq!(members, [r#""a": [1, {}]"#, r#""b": "]""#]);
        assert_eq!(document.children(2).map(texts).collect::<Vec<_>>(), ["1", "{}"]);
        assert_eq!(document.child_towards(4, 1), 2);
    }

    #[test]
    fn a_million_brackets_are_a_million_nodes() {
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(Document::parse(deep.as_bytes()).unwrap().len(), 1_000_001);
        assert!(Document::parse(&deep.as_bytes()[..1_500_000]).is_err());
    }
}
