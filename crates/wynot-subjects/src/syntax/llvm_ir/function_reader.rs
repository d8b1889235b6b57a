//! The blocks of a function and their instructions.

use super::ir_tokens::TokenKind;
use super::operand_reader::Reader;
use std::ops::Range;

/// Instructions that end a block.
const TERMINATORS: &[&str] = &[
    "ret",
    "br",
    "switch",
    "indirectbr",
    "invoke",
    "resume",
    "unreachable",
    "cleanupret",
    "catchret",
    "catchswitch",
    "callbr",
];

/// Words at the start of a line that continue an instruction.
const CONTINUATIONS: &[&str] = &["to", "unwind", "catch", "cleanup", "filter"];

impl Reader<'_> {
    /// Adds the body of a function, with its brackets.
    pub(super) fn read_body(&mut self, range: Range<usize>) {
        self.open("function_body", "body", &range);
        self.plain(range.start);
        let end = range.end - usize::from(self.is_sign(range.end - 1, b'}') && range.len() > 1);
        let mut is_open = false;
        let mut block_end = 0;
        let mut at = range.start + 1;
        while at < end {
            let is_label = self.is_label(at);
            if is_label && is_open {
                self.builder.close_at(block_end);
                is_open = false;
            }
            if !is_open && self.tokens[at].kind != TokenKind::Comment {
                self.open("basic_block", "", &(at..end));
                is_open = true;
            }
            let next = match () {
                () if is_label => {
                    self.leaf("block_identifier", "name", true, at);
                    self.plain(at + 1);
                    at + 2
                }
                () if self.tokens[at].kind == TokenKind::Comment => {
                    self.leaf("comment", "", true, at);
                    at + 1
                }
                () => self.instruction_end(at, end),
            };
            let is_instruction = !is_label && self.tokens[at].kind != TokenKind::Comment;
            let ends_block = is_instruction && self.read_instruction(at..next);
            block_end = self.tokens[next - 1].span.end;
            if ends_block {
                self.builder.close_at(block_end);
                is_open = false;
            }
            at = next;
        }
        if is_open {
            self.builder.close_at(block_end);
        }
        (end..range.end).for_each(|at| self.plain(at));
        self.builder.close();
    }

    /// Whether a label of a block begins at an index.
    fn is_label(&self, at: usize) -> bool {
        let is_word = matches!(self.tokens[at].kind, TokenKind::Word | TokenKind::Quoted);
        let touches = |next: &super::ir_tokens::Token| next.span.start == self.tokens[at].span.end;
        is_word && self.is_sign(at + 1, b':') && self.tokens.get(at + 1).is_some_and(touches)
    }

    /// The index after the instruction that begins at an index.
    fn instruction_end(&self, start: usize, end: usize) -> usize {
        let mut depth = 0;
        for at in start..end {
            let continues = CONTINUATIONS.iter().any(|word| self.is(at, word));
            if at > start && depth == 0 && self.tokens[at].starts_line && !continues {
                return at;
            }
            depth = (depth + self.tokens[at].depth_change()).max(0);
        }
        end
    }

    /// Adds an instruction, and returns whether it ends a block.
    fn read_instruction(&mut self, range: Range<usize>) -> bool {
        let has_result = self.is_name(range.start, b'%') && self.is_sign(range.start + 1, b'=');
        let opcode = range.start + if has_result { 2 } else { 0 };
        let opcode = opcode.min(range.end - 1);
        let is_terminator = TERMINATORS.iter().any(|word| self.is(opcode, word));
        let is_call = (opcode..range.end.min(opcode + 2)).any(|at| self.is(at, "call"));
        let kind = match () {
            () if is_terminator => "terminator_statement",
            () if self.is(opcode, "phi") => "phi",
            () if is_call => "call_instruction",
            () => "instruction",
        };
        self.open(kind, "", &range);
        if has_result {
            self.leaf("identifier", "name", true, range.start);
            self.plain(range.start + 1);
        }
        if kind == "phi" {
            self.read_phi(opcode..range.end);
        } else if self.is(opcode, "switch") {
            self.read_switch(opcode..range.end);
        } else {
            self.operands(opcode..range.end);
        }
        self.builder.close();
        is_terminator
    }

    /// `phi TYPE [ VALUE, LABEL ], …`.
    fn read_phi(&mut self, range: Range<usize>) {
        let mut at =
            self.after_type(range.start + 1, range.end).max(range.start + 1).min(range.end);
        self.operands(range.start..at);
        while at < range.end {
            if !self.is_sign(at, b'[') {
                let next = (at + 1..range.end).find(|&at| self.is_sign(at, b'['));
                let next = next.unwrap_or(range.end);
                self.operands(at..next);
                at = next;
                continue;
            }
            let end = self.after_brackets(at, range.end);
            self.builder.open("incoming", "", true, self.bytes(&(at..end)));
            let names = (at + 1..end).rev().find(|&at| self.is_name(at, b'%'));
            match names.filter(|&label| self.is_sign(label - 1, b',')) {
                Some(label) => {
                    self.operands(at..label);
                    self.leaf("predecessor_identifier", "predecessor", true, label);
                    (label + 1..end).for_each(|at| self.plain(at));
                }
                None => self.operands(at..end),
            }
            self.builder.close();
            at = end;
        }
    }

    /// `switch TYPE VALUE, label DEFAULT [ CASES ]`.
    fn read_switch(&mut self, range: Range<usize>) {
        let open = range.clone().find(|&at| self.is_sign(at, b'[')).unwrap_or(range.end);
        self.operands(range.start..open);
        if open == range.end {
            return;
        }
        let close = self.after_brackets(open, range.end);
        self.builder.open("cases", "cases", true, self.bytes(&(open..close)));
        self.plain(open);
        let mut at = open + 1;
        while at + 1 < close {
            let label = (at..close - 1)
                .find(|&at| self.is(at, "label"))
                .map_or(close - 2, |label| label + 1);
            let end = (label + 1).min(close - 1).max(at + 1);
            self.builder.open("case", "", true, self.bytes(&(at..end)));
            self.operands(at..end);
            self.builder.close();
            at = end;
        }
        self.plain(close - 1);
        self.builder.close();
        self.operands(close..range.end);
    }
}
