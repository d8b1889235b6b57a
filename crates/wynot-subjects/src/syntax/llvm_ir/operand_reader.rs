//! What instructions and headers consist of: operands, modifiers and attachments.

use super::ir_tokens::{Token, TokenKind, tokens};
use crate::syntax::tree::TreeBuilder;
use std::collections::HashSet;
use std::ops::Range;

/// Words that can be left out. Those of calling conventions and of arithmetic change what a program means; tests decide.
const MODIFIERS: &[&str] = &[
    "afn",
    "alwaysinline",
    "appending",
    "arcp",
    "argmemonly",
    "available_externally",
    "byref",
    "byval",
    "cold",
    "coldcc",
    "comdat",
    "common",
    "contract",
    "convergent",
    "dereferenceable",
    "dereferenceable_or_null",
    "dllexport",
    "disjoint",
    "dllimport",
    "dso_local",
    "dso_preemptable",
    "elementtype",
    "exact",
    "fast",
    "fastcc",
    "hidden",
    "immarg",
    "inaccessiblememonly",
    "inalloca",
    "inbounds",
    "initializes",
    "inlinehint",
    "inrange",
    "inreg",
    "internal",
    "linkonce",
    "linkonce_odr",
    "local_unnamed_addr",
    "memory",
    "minsize",
    "mustprogress",
    "musttail",
    "naked",
    "nest",
    "ninf",
    "nnan",
    "noalias",
    "nobuiltin",
    "nocallback",
    "nocapture",
    "nofree",
    "noinline",
    "nonnull",
    "norecurse",
    "noreturn",
    "nosync",
    "notail",
    "noundef",
    "nounwind",
    "nsw",
    "nsz",
    "nuw",
    "optnone",
    "optsize",
    "preallocated",
    "private",
    "protected",
    "readnone",
    "readonly",
    "reassoc",
    "returned",
    "returns_twice",
    "signext",
    "speculatable",
    "sret",
    "ssp",
    "sspreq",
    "sspstrong",
    "swiftself",
    "tail",
    "unnamed_addr",
    "uwtable",
    "volatile",
    "weak",
    "weak_odr",
    "willreturn",
    "writable",
    "writeonly",
    "zeroext",
    "captures",
    "samesign",
    "nneg",
    "range",
    "noprofile",
    "sanitize_address",
    "strictfp",
    "swifterror",
    "allocsize",
    "dead_on_unwind",
];

/// Words that begin an attachment after a comma.
const ATTACHED: &[&str] = &["align", "comdat", "section", "partition", "code_model"];

/// The names of the fields of operands. Each operand has its own field: it is a part and not an element.
const OPERAND_FIELDS: &[&str] = &[
    "operand0",
    "operand1",
    "operand2",
    "operand3",
    "operand4",
    "operand5",
    "operand6",
    "operand7",
    "operand8",
    "operand9",
    "operand10",
    "operand11",
    "operand12",
    "operand13",
    "operand14",
    "operand15",
    "operand16",
    "operand17",
    "operand18",
    "operand19",
    "operand20",
    "operand21",
    "operand22",
    "operand23",
];

/// The tokens of a text, and the tree that is built from them.
pub(super) struct Reader<'t> {
    pub text: &'t [u8],
    pub tokens: Vec<Token>,
    pub builder: TreeBuilder,
    /// The names that stand for types.
    types: HashSet<&'t [u8]>,
    /// The number of operands in the current element.
    operands: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        let tokens = tokens(text);
        let word = |token: &Token| &text[token.span.clone()];
        let types = tokens.windows(3).filter(|three| {
            three[0].kind == TokenKind::Name(b'%')
                && three[1].is_sign(b'=')
                && word(&three[2]) == b"type"
        });
        let types = types.map(|three| &text[three[0].span.clone()]).collect();
        Self { text, types, tokens, builder: TreeBuilder::new(), operands: 0 }
    }

    pub(super) fn word(&self, at: usize) -> &'t [u8] {
        self.tokens.get(at).map(|token| &self.text[token.span.clone()]).unwrap_or_default()
    }

    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.word(at) == word.as_bytes()
    }

    pub(super) fn is_name(&self, at: usize, sigil: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Name(sigil))
    }

    pub(super) fn is_sign(&self, at: usize, sign: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_sign(sign))
    }

    /// The bytes of some tokens.
    pub(super) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        match range.is_empty() {
            true => 0..0,
            false => self.tokens[range.start].span.start..self.tokens[range.end - 1].span.end,
        }
    }

    /// The index after the bracket that closes the one at an index, at most `end`.
    pub(super) fn after_brackets(&self, open: usize, end: usize) -> usize {
        let mut depth = 0;
        for at in open..end {
            depth += self.tokens[at].depth_change();
            if depth <= 0 {
                return at + 1;
            }
        }
        end
    }

    /// Begins a node over some tokens. Its operands are counted from the first one.
    pub(super) fn open(&mut self, kind: &str, field: &str, range: &Range<usize>) {
        self.operands = 0;
        self.builder.open(kind, field, true, self.bytes(range));
    }

    /// Adds a token as a leaf.
    pub(super) fn leaf(&mut self, kind: &str, field: &str, named: bool, at: usize) {
        self.builder.open(kind, field, named, self.tokens[at].span.clone());
        self.builder.close();
    }

    /// Adds a token that is neither an element nor an operand.
    pub(super) fn plain(&mut self, at: usize) {
        self.leaf("token", "", false, at);
    }

    /// Adds a token that can be replaced.
    fn operand(&mut self, kind: &str, at: usize) {
        let field = OPERAND_FIELDS.get(self.operands).copied();
        self.operands += 1;
        self.leaf(kind, field.unwrap_or_default(), field.is_some(), at);
    }

    /// Adds some tokens: operands, modifiers, attachments, and the rest as it is.
    pub(super) fn operands(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let element = self.element_end(at, range.end);
            if element > at {
                let kind = if self.is_modifier(at) { "modifier" } else { "attachment" };
                self.builder.open(kind, "", true, self.bytes(&(at..element)));
                for token in at..element {
                    self.single(token);
                }
                self.builder.close();
                at = element;
            } else {
                self.single(at);
                at += 1;
            }
        }
    }

    /// Adds one token by its kind.
    fn single(&mut self, at: usize) {
        let follows_label = at > 0 && self.is(at - 1, "label");
        match self.tokens[at].kind {
            TokenKind::Comment => self.leaf("comment", "", true, at),
            TokenKind::Name(b'%') if follows_label => self.operand("label_identifier", at),
            TokenKind::Name(b'%') if self.types.contains(self.word(at)) => {
                self.operand("type_identifier", at);
            }
            TokenKind::Name(b'%' | b'@') => self.operand("identifier_expression", at),
            TokenKind::Name(b'#') => self.leaf("attribute_identifier", "", true, at),
            TokenKind::Name(_) => self.operand("metadata_identifier", at),
            TokenKind::Quoted => self.operand("string", at),
            TokenKind::Word if self.word(at)[0].is_ascii_digit() || self.word(at)[0] == b'-' => {
                self.operand("number", at);
            }
            TokenKind::Word | TokenKind::Sign(_) => self.plain(at),
        }
    }

    fn is_modifier(&self, at: usize) -> bool {
        self.tokens[at].kind == TokenKind::Word
            && std::str::from_utf8(self.word(at)).is_ok_and(|word| MODIFIERS.contains(&word))
    }

    /// The index after the modifier or attachment that begins at an index; the index itself if none does.
    fn element_end(&self, at: usize, end: usize) -> usize {
        if self.is_modifier(at) {
            return match self.is_sign(at + 1, b'(') && at + 1 < end {
                true => self.after_brackets(at + 1, end),
                false => at + 1,
            };
        }
        let start = at + usize::from(self.is_sign(at, b','));
        let is_attached = |word: &&str| self.is(start, word);
        let is_metadata = self.is_name(start, b'!')
            && (self.is_name(start + 1, b'!') || self.is_sign(start + 1, b'!'));
        let is_align = start == at && self.is(at, "align");
        if start < end && is_metadata {
            return match self.is_sign(start + 1, b'!') {
                true => self.after_brackets((start + 2).min(end), end),
                false => (start + 2).min(end),
            };
        }
        if start < end && (is_align || start > at && ATTACHED.iter().any(is_attached)) {
            let has_value = start + 1 < end && !self.is_sign(start + 1, b',');
            return match self.is_sign(start + 1, b'(') && has_value {
                true => self.after_brackets(start + 1, end),
                false => start + 1 + usize::from(has_value),
            };
        }
        at
    }

    /// The index after a type that begins at an index.
    pub(super) fn after_type(&self, at: usize, end: usize) -> usize {
        let mut next = match self.tokens.get(at).map(|token| token.kind) {
            Some(TokenKind::Sign(b'{' | b'[')) => self.after_brackets(at, end),
            Some(TokenKind::Sign(b'<')) => {
                let close = (at..end).find(|&at| self.is_sign(at, b'>'));
                close.map_or(end, |close| close + 1)
            }
            _ => at + 1,
        };
        while next < end {
            let has_brackets = self.is(next, "addrspace") && self.is_sign(next + 1, b'(');
            if self.is_sign(next, b'*') {
                next += 1;
            } else if self.is_sign(next, b'(') {
                next = self.after_brackets(next, end);
            } else if has_brackets {
                next = self.after_brackets(next + 1, end);
            } else {
                break;
            }
        }
        next.min(end)
    }
}
