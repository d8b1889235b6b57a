//! Reading JSON: where each value begins and ends, and what lies in what.
//!
//! A document is a sequence of values, each on lines of its own: usually one, in JSON lines many. All
//! nodes lie in one array in the order of the text, so a value with everything inside it is a stretch of
//! the array. Nothing here recurses: nesting a million deep is a million nodes and no more.

/// The number of the node that stands for the whole sequence of values.
pub(crate) const WHOLE: u32 = 0;

/// Where nothing was opened.
const CLOSED: u32 = u32::MAX;

/// An element of an array, a member of an object, or a value of the sequence.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Where it begins; a member begins with its name.
    start: u32,
    end: u32,
    /// Where the bracket of an array or object is; [`CLOSED`] for other values.
    open: u32,
    /// The node behind all that is inside.
    next: u32,
    parent: u32,
}

/// The values of a text.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    nodes: Vec<Node>,
}

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {expected} expected, but there is {found}")]
pub struct NotJson {
    /// The line of the place, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    expected: &'static str,
    found: String,
}

impl NotJson {
    fn at(text: &[u8], at: usize, expected: &'static str) -> Self {
        let line_start = text[..at].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        let line = text[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&text[line_start..at]).chars().count() + 1;
        let seen = &text[at..text.len().min(at + 4)];
        let found = match String::from_utf8_lossy(seen).chars().next() {
            Some(c) => format!("'{}'", c.escape_debug().to_string().replace("\\'", "'")),
            None => "the end".to_owned(),
        };
        Self { line, column, expected, found }
    }
}

impl Document {
    /// Reads a text of less than 4 GiB.
    pub(crate) fn read(text: &[u8]) -> Result<Self, NotJson> {
        let whole = Node { start: 0, end: text.len() as u32, open: CLOSED, next: 1, parent: WHOLE };
        let mut reader = Reader { text, at: 0, nodes: vec![whole] };
        reader.values()?;
        let mut nodes = reader.nodes;
        nodes[0].next = nodes.len() as u32;
        nodes.shrink_to_fit();
        Ok(Self { nodes })
    }

    /// Whether a text does not even begin like JSON: a plain list of lines, perhaps.
    pub(crate) fn is_plain(text: &[u8]) -> bool {
        let first = text.iter().find(|byte| !is_blank(**byte));
        !matches!(first, Some(b'[' | b'{' | b'"'))
    }

    /// How many nodes there are, the whole sequence among them.
    pub(crate) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub(crate) fn start(&self, node: u32) -> usize {
        self.nodes[node as usize].start as usize
    }

    pub(crate) fn end(&self, node: u32) -> usize {
        self.nodes[node as usize].end as usize
    }

    /// Where the opening bracket of an array or object is.
    pub(crate) fn open(&self, node: u32) -> Option<usize> {
        let open = self.nodes[node as usize].open;
        (open != CLOSED).then_some(open as usize)
    }

    /// The node behind this one and all that is inside.
    pub(crate) fn next(&self, node: u32) -> u32 {
        self.nodes[node as usize].next
    }

    pub(crate) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    /// Whether something is inside.
    pub(crate) fn has_children(&self, node: u32) -> bool {
        self.next(node) > node + 1
    }

    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.next(node);
        let first = Some(node + 1).filter(|&first| first < end);
        std::iter::successors(first, move |&child| {
            Some(self.next(child)).filter(|&next| next < end)
        })
    }

    /// The child of a node in which a deeper node lies, or which it is.
    pub(crate) fn child_towards(&self, deeper: u32, node: u32) -> u32 {
        let mut child = deeper;
        while self.parent(child) != node {
            child = self.parent(child);
        }
        child
    }

    /// The one array or object that the text consists of, if it does and there is something inside.
    pub(crate) fn container(&self) -> Option<u32> {
        let first = WHOLE + 1;
        let alone = self.len() > first && self.next(first) == self.len();
        (alone && self.has_children(first)).then_some(first)
    }
}

/// Where blanks that end at a place begin.
pub(crate) fn before_blanks(text: &[u8], end: usize) -> usize {
    text[..end].iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}

/// Where blanks that begin at a place end.
pub(crate) fn behind_blanks(text: &[u8], start: usize) -> usize {
    let blanks = text[start..].iter().position(|&byte| !is_blank(byte));
    blanks.map_or(text.len(), |blanks| start + blanks)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
}

impl Reader<'_> {
    fn values(&mut self) -> Result<(), NotJson> {
        self.blanks();
        let mut parent = WHOLE;
        while parent != WHOLE || self.at < self.text.len() {
            match self.element(parent)? {
                // Something was opened, and the next element is inside.
                Some(inside) => parent = inside,
                None => parent = self.leave(parent)?,
            }
        }
        Ok(())
    }

    /// Reads an element up to its end or, if it is a container with something inside, to there.
    fn element(&mut self, parent: u32) -> Result<Option<u32>, NotJson> {
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
        self.nodes.push(Node { start, end: 0, open: CLOSED, next: node + 1, parent });
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

    /// Goes on behind an element: to the next one, out of all containers that end here, or to the end.
    /// Returns what the next element is in.
    fn leave(&mut self, parent: u32) -> Result<u32, NotJson> {
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
            return self.fail("the end of the value's line");
        }
        Ok(WHOLE)
    }

    fn bracket(&self, node: u32) -> Option<u8> {
        let open = self.nodes[node as usize].open;
        (open != CLOSED).then(|| self.text[open as usize])
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blanks(&mut self) {
        self.at = behind_blanks(self.text, self.at);
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, NotJson> {
        Err(NotJson::at(self.text, self.at, expected))
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), NotJson> {
        if self.peek() != Some(byte) {
            return self.fail(expected);
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), NotJson> {
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

    /// Reads a string. Bytes that are not UTF-8 may stand in it: that parsers stumble over them is a
    /// reason to search, not to refuse.
    fn string(&mut self) -> Result<(), NotJson> {
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
                        _ => return self.fail("one of \"\\/bfnrtu behind a backslash"),
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

    fn number(&mut self) -> Result<(), NotJson> {
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

    fn digits(&mut self) -> Result<(), NotJson> {
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
        Document::read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_json_is_named_with_its_place() {
        assert_eq!(error("[1, 2,]"), "line 1, column 7: a value expected, but there is ']'");
        assert_eq!(
            error("{\n  'a': 1}"),
            "line 2, column 3: a name in double quotes expected, but there is '''"
        );
        assert_eq!(error("[1"), "line 1, column 3: ',' or ']' expected, but there is the end");
        assert_eq!(error("{\"é\" 1}"), "line 1, column 6: ':' expected, but there is '1'");
        assert_eq!(error("[01]"), "line 1, column 3: ',' or ']' expected, but there is '1'");
        assert_eq!(
            error("[1] x"),
            "line 1, column 5: the end of the value's line expected, but there is 'x'"
        );
        assert_eq!(
            error("\"a\nb\""),
            "line 1, column 3: the rest of a string expected, but there is '\\n'"
        );
    }

    #[test]
    fn nodes_know_what_lies_inside_and_behind_them() {
        let text = br#"{"a": [1, {}], "b": "]"}"#;
        let document = Document::read(text).unwrap();
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
        assert_eq!(Document::read(deep.as_bytes()).unwrap().len(), 1_000_001);
        assert!(Document::read(&deep.as_bytes()[..1_500_000]).is_err());
    }
}
