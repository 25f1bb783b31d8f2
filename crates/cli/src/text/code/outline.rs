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
        out.label(Label::Faint, &format!("  {}", self.language)).end();
        for symbol in &self.symbols {
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
