//! Writes a container in the way in which its view is written, so that parts of its compressed streams can go.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::rc::Rc;
use wynot_subjects::{Container, Opening};

/// Proposes the container with its streams opened and compressed anew, or with as much of that as keeps the failure. A
/// text that is written in this way already needs no test.
pub fn opening(parsed: &ParsedText) -> OpenContainer {
    let text = &*parsed.text;
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for (opening, container) in Container::readings(text) {
        let encoded = container.encode();
        if encoded == *text {
            break;
        }
        // Contents that are not compressed are larger, so that more of them must go before there is a gain.
        let is_large = opening == Opening::Stored && encoded.len() >= text.len();
        if !is_large && !texts.contains(&encoded) {
            texts.push(encoded);
        }
    }
    OpenContainer { texts: Rc::new(texts), next: 0 }
}

/// The texts that remain to be tried.
#[derive(Clone, Debug)]
pub struct OpenContainer {
    texts: Rc<Vec<Vec<u8>>>,
    next: usize,
}

impl Pass for OpenContainer {
    fn name(&self) -> &'static str {
        "opening"
    }

    fn may_grow(&self) -> bool {
        true
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        let text = self.texts.get(self.next)?.clone();
        self.next += 1;
        Some(vec![Edit::replace(0..parsed.text.len() as u32, text)])
    }

    fn accept(&mut self, _: &ParsedText) {
        self.next = self.texts.len();
    }
}
