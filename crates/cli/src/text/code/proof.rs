use crate::ui::{Label, Painter, Show};
use code::proof::{Proof, Verdict};

impl Show for Proof {
    /// A document for other programs, on a terminal too.
    fn text(&self, out: &mut Painter) {
        out.verbatim(&serde_json::to_string_pretty(self).unwrap_or_default()).end();
    }
}

impl Show for Verdict {
    fn text(&self, out: &mut Painter) {
        let edge = &self.edge;
        let words = if self.is_present { "is in" } else { "is not in" };
        out.label(Label::Good, "✓ ").text(&format!(
            "{} {} {} {words} the snapshot of {} with the root",
            edge.source.symbol, edge.kind, edge.target.symbol, self.repo
        ));
        out.end().text("  ").label(Label::Id, &self.static_root).end();
    }
}
