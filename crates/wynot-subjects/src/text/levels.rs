//! The levels of a text's deltas: coarser units as groups of the finest one.

use crate::text::cut::TextCut;
use crate::text::unit::Unit;
use crate::text_delta::TextDelta;
use wynot_core::Grouping;

/// Pieces of a unit as groups of the finest pieces. A border that falls inside one of the finest pieces is
/// dropped, so that levels nest.
pub(crate) fn group_pieces(text: &[u8], unit: Unit, finest: &TextCut) -> Grouping {
    let deltas = finest.len();
    let coarse = TextCut::new(text, unit);
    if coarse.len() == deltas {
        return Grouping::singles(deltas);
    }
    let mut starts = Vec::with_capacity(coarse.len() as usize);
    let mut piece = 0;
    for group in 0..coarse.len() {
        let at = coarse.bytes(group..group).start;
        while piece < deltas && finest.bytes(piece..piece).start < at {
            piece += 1;
        }
        if piece < deltas && starts.last() != Some(&piece) {
            starts.push(piece);
        }
    }
    Grouping::new(starts, deltas)
}

/// Coarse changes as groups of the fine changes inside them.
pub(crate) fn group_changes(coarse: &[TextDelta], fine: &[TextDelta]) -> Grouping {
    let mut starts = Vec::with_capacity(coarse.len());
    let mut next = 0;
    for change in coarse {
        let inside = |delta: &TextDelta| {
            delta.old.start >= change.old.start
                && delta.old.end <= change.old.end
                && delta.new.start >= change.new.start
                && delta.new.end <= change.new.end
        };
        if fine.get(next).is_some_and(inside) {
            starts.push(next as u32);
        }
        while fine.get(next).is_some_and(inside) {
            next += 1;
        }
    }
    match fine.len() as u32 {
        0 => Grouping::singles(0),
        deltas => Grouping::new(starts, deltas),
    }
}
