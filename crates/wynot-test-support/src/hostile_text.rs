//! Texts that no grammar understands, in any size and the same in every run.

/// A kind of text on which parsers do much more work than on texts of their languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostileText {
    /// Tokens of C in random order.
    Tokens,
    /// Brackets in random order.
    Brackets,
    /// One long expression that has two meanings at each of its parts.
    Casts,
    /// Calls of macros that stand for no whole construct.
    Macros,
    /// Functions as they were written before C had prototypes.
    OldFunctions,
    /// Parts of JSON in random order.
    JsonFragments,
    /// Tags that open and never close.
    OpenTags,
    /// Elements of XML.
    Elements,
    /// The same name, declared again and again.
    Declarations,
}

impl HostileText {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Tokens,
        Self::Brackets,
        Self::Casts,
        Self::Macros,
        Self::OldFunctions,
        Self::JsonFragments,
        Self::OpenTags,
        Self::Elements,
        Self::Declarations,
    ];

    /// A text of this kind with a number of bytes.
    pub fn text(self, bytes: usize) -> Vec<u8> {
        let mut random = Random(1);
        let mut text = String::new();
        while text.len() < bytes {
            let part = self.part(&mut random);
            text.push_str(&part);
        }
        text.truncate(bytes);
        text.into_bytes()
    }

    fn part(self, random: &mut Random) -> String {
        match self {
            Self::Tokens => format!("{} ", random.one_of(C_TOKENS)),
            Self::Brackets => {
                random.one_of(&["(", "[", "{", "x", " ", ";", "}", "]", ")"]).to_owned()
            }
            Self::Casts => "(a)(b)*".to_owned(),
            Self::Macros => {
                let arguments = ["int", "*x", "a b", "{", "}", "->", ""];
                let [a, b] = [random.one_of(&arguments), random.one_of(&arguments)];
                let rest = random.one_of(&["", "{", "}", "BAZ QUUX", "##x"]);
                format!("{}({a},{b}) {rest}\n", random.one_of(&["FOO", "BEGIN", "END"]))
            }
            Self::OldFunctions => {
                let number = random.below(100_000);
                format!("f{number}(a,b) int a; char *b; {{\n register x; x =+ b[a]; return x\n}}\n")
            }
            Self::JsonFragments => random
                .one_of(&["{", "[", "\"a\":", "1,", "\"x\"", "}", "]", ",", " true"])
                .to_owned(),
            Self::OpenTags => random.one_of(&["<a>", "</b>", "<c d='", "&x;", "text "]).to_owned(),
            Self::Elements => {
                format!("<item id='{}'><name>it's &amp;</name></item>\n", random.below(1_000))
            }
            Self::Declarations => "int a;\n".to_owned(),
        }
    }
}

const C_TOKENS: &[&str] = &[
    "int", "x", "y", "if", "(", ")", "{", "}", "[", "]", ";", ",", "*", "&", "+", "=", "struct",
    "return", "0", "\"s\"", "'c'", "->", "typedef", "for", "case", ":", "?", "#define", "\n",
    "else", "static", "<", "!", "goto", "sizeof",
];

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}
