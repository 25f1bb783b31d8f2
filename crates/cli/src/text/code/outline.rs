use super::{mark, note};
use crate::text::counted;
use crate::ui::{Label, Painter, Show};
use insight::agent_text;
use insight::code::outline::FileOutline;
use model::text::one_line;

/// Longer signatures are cut.
const LONGEST: usize = 120;

impl Show for FileOutline {
    fn agent(&self) -> Option<String> {
        Some(agent_text::outline(self))
    }

    fn text(&self, out: &mut Painter) {
        let mark = mark(out);
        out.text(mark).label(Label::Heading, &self.path);
        if let Some(of) = &self.of {
            out.text(&format!(":{}  ", of.line)).label(Label::Heading, &one_line(&of.symbol, 90));
        }
        out.label(Label::Faint, &format!("  {}", self.language)).end();
        let mut path = None;
        for symbol in &self.symbols {
            if symbol.path != path {
                path.clone_from(&symbol.path);
                out.text(mark).label(Label::Path, path.as_deref().unwrap_or_default()).end();
            }
            out.label(Label::Faint, &format!("{}-{}", symbol.line, symbol.end_line));
            out.text("\t").text(&"  ".repeat(symbol.depth as usize));
            // A signature says its kind in most languages.
            let signature = one_line(&symbol.signature, LONGEST);
            let is_told = signature.contains(&symbol.name);
            let kind = format!("{} {}", symbol.kind, symbol.name);
            out.text(if is_told { &signature } else { &kind }).end();
        }
        if let Some(trouble) = &self.trouble {
            let words = format!("{mark}not read to its end: {}", one_line(trouble, LONGEST));
            out.label(Label::Warning, &words).end();
        }
        if self.symbols.is_empty() {
            out.label(Label::Faint, &format!("{mark}no types or functions")).end();
        }
        if self.left_out > 0 {
            let n = counted(self.left_out, "field or inner symbol", "fields and inner symbols");
            note(&format!("{n} left out; --all shows them"), out);
        }
        if !self.others.is_empty() {
            note(&format!("other files end the same: {}", self.others.join(", ")), out);
        }
    }
}
