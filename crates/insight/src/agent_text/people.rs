//! Whom to ask: a line for each, with what speaks for them.

use crate::people::experts::Experts;
use model::text::one_line;

pub fn experts(answer: &Experts) -> String {
    let mut out = String::new();
    if let Some(owners) = &answer.code_owners {
        out.push_str(&format!("{}: {}\n", owners.file, owners.owners.join(" ")));
    }
    for expert in &answer.experts {
        let name = one_line(&expert.name, 40);
        let who = match &expert.username {
            Some(username) if *username == name => format!("@{username}"),
            Some(username) => format!("@{username} {name}"),
            None => name,
        };
        let last = expert.last_at.map(|at| format!(", last {}", at.to_date())).unwrap_or_default();
        out.push_str(&format!("{who}: {}{last}\n", one_line(&expert.reason, 120)));
    }
    if answer.experts.is_empty() {
        out.push_str("nobody has worked on this\n");
    }
    out
}
