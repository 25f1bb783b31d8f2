use super::grouped;
use crate::ui::{Label, Painter, Show};
use insight::counts::Count;

impl Show for Count {
    fn text(&self, out: &mut Painter) {
        if !out.look().is_tty {
            out.line(&self.total.to_string());
            return;
        }
        out.label(Label::Heading, &grouped(self.total)).text(&format!(" {}", self.what));
        if let Some(project) = &self.project {
            out.text(&format!(" in {project}"));
        }
        if self.by.len() > 1 {
            let parts: Vec<String> =
                self.by.iter().map(|(name, count)| format!("{} {name}", grouped(*count))).collect();
            out.label(Label::Faint, &format!(" ({})", parts.join(", ")));
        }
        out.end();
    }
}
