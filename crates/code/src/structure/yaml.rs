//! YAML files of a repository: what a template puts in is read as it is written.

use crate::facts::FactsProblem;
use yaml::{Documents, Problem};
pub(super) use yaml::{Key, Value, Yaml};

/// The documents of a file up to the first error, and why there is not more.
pub(super) fn parse(source: &[u8]) -> (Vec<Yaml>, Option<FactsProblem>) {
    let text = match std::str::from_utf8(source) {
        Ok(text) => text,
        Err(error) => {
            let n_lines = source[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            return (Vec::new(), Some(FactsProblem::Syntax { line: n_lines as u32 }));
        }
    };
    let plain = yaml::parse(text);
    if plain.problem.is_none() || text.len() > yaml::MAX_BYTES || !text.contains("{{") {
        return facts_of(plain);
    }
    let filled = yaml::parse_as(&without_actions(text), text);
    facts_of(if filled.all.len() >= plain.all.len() { filled } else { plain })
}

fn facts_of(documents: Documents) -> (Vec<Yaml>, Option<FactsProblem>) {
    let trouble = documents.problem.map(|problem| match problem {
        Problem::Syntax { line, .. } => FactsProblem::Syntax { line },
        Problem::TooLarge => FactsProblem::TooLarge,
        Problem::TooDeep => FactsProblem::TooDeep,
        Problem::TooManyValues => FactsProblem::TooMuch,
    });
    (documents.all, trouble)
}

/// The text of a template with `{{ … }}` as letters, and as blanks where it
/// stands alone on its lines: there it gives whole lines, or none.
fn without_actions(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let Some(close) = rest[open..].find("}}").map(|length| open + length + 2) else { break };
        filled.push_str(&rest[..open]);
        let before = filled.rsplit('\n').next().unwrap_or_default();
        let after = rest[close..].split('\n').next().unwrap_or_default();
        let is_alone = before.trim().trim_start_matches('-').is_empty()
            && (after.trim().is_empty() || after.trim().starts_with("{{"));
        for byte in rest[open..close].bytes() {
            filled.push(match byte {
                b'\n' => '\n',
                _ if is_alone => ' ',
                _ => 'x',
            });
        }
        rest = &rest[close..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_read_as_it_is_written() {
        let text = "{{- if .Values.on }}\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}\n  \
                    labels:\n    {{- include \"l\" . | nindent 4 }}\n    app: \"{{ .Chart.Name }}-web\"\n\
                    {{- end }}\n";
        let (documents, trouble) = parse(text.as_bytes());
        assert_eq!(trouble, None);
        let text_at = |path: &[&str]| documents[0].text_at(path);
        assert_eq!(text_at(&["metadata", "name"]), Some("{{ .Values.name }}"));
        assert_eq!(text_at(&["metadata", "labels", "app"]), Some("{{ .Chart.Name }}-web"));
    }

    #[test]
    fn what_is_no_text_is_told_with_its_line() {
        assert_eq!(parse(b"a: 1\n\xff").1, Some(FactsProblem::Syntax { line: 2 }));
    }
}
