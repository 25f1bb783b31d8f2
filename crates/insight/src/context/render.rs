//! A pack as text: for people, for agents, as Markdown, as XML, as JSON.

use super::lines;
use super::pack::{Pack, PackedEdge, PackedFile, PackedSymbol, PackedText};
use super::strength::Strength;
use crate::agent_text;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Text,
    /// For agents: fewest tokens.
    Lines,
    Markdown,
    Xml,
    Json,
}

/// The pack as it is handed out.
pub fn whole(pack: &Pack, format: Format) -> String {
    match format {
        Format::Json => json(pack),
        Format::Xml => xml(pack),
        Format::Lines => lines::whole(pack),
        Format::Text | Format::Markdown => paragraphs(pack, format),
    }
}

/// As a program gets it, what stands around every answer included.
fn json(pack: &Pack) -> String {
    let data = serde_json::to_value(pack).unwrap_or_default();
    format!("{{\"ok\":true,\"data\":{data},\"meta\":{{\"elapsed_ms\":100000}}}}\n")
}

/// One symbol of it.
pub fn symbol(symbol: &PackedSymbol, format: Format) -> String {
    match format {
        Format::Json => serde_json::to_string(symbol).unwrap_or_default(),
        Format::Xml => symbol_xml(symbol),
        Format::Lines => lines::symbol(symbol),
        Format::Text | Format::Markdown => symbol_lines(symbol, format),
    }
}

/// One decision or thread of it.
pub fn text(text: &PackedText, format: Format) -> String {
    match format {
        Format::Json => serde_json::to_string(text).unwrap_or_default(),
        Format::Xml => format!(
            "<text ref=\"{}\" kind=\"{}\" title=\"{}\">{}</text>\n",
            escaped(&text.reference),
            text.kind,
            escaped(&text.title),
            escaped(&text.text)
        ),
        Format::Lines => lines::text(text),
        Format::Text => {
            format!("{} ({}) {}\n    {}\n", text.reference, text.kind, text.title, text.text)
        }
        Format::Markdown => {
            format!("- **{}** ({}) {}: {}\n", text.reference, text.kind, text.title, text.text)
        }
    }
}

pub(super) fn strength(pack: &Pack) -> &'static str {
    match pack.strength {
        Strength::None => "none: nothing indexed matches the task",
        Strength::Weak => "weak: only scattered words match; the task may be about something else",
        Strength::Fair => "fair: found by its words",
        Strength::Strong => "strong: the task names what is here",
    }
}

fn paragraphs(pack: &Pack, format: Format) -> String {
    let is_markdown = format == Format::Markdown;
    let heading = |title: &str| {
        if is_markdown { format!("\n## {title}\n\n") } else { format!("\n{title}\n") }
    };
    let commit: String = pack.standing.commit.chars().take(10).collect();
    let mut out = String::new();
    let mark = if is_markdown { "# " } else { "" };
    out.push_str(&format!("{mark}Context: {}\n", pack.task));
    out.push_str(&format!("{} at {commit}\nevidence {}\n", pack.standing.name, strength(pack)));
    for note in &pack.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    if !pack.files.is_empty() {
        out.push_str(&heading("Files"));
        for file in &pack.files {
            out.push_str(&file_line(file, is_markdown));
        }
    }
    if !pack.symbols.is_empty() {
        out.push_str(&heading("Symbols"));
        for one in &pack.symbols {
            out.push_str(&symbol_lines(one, format));
        }
    }
    if !pack.edges.is_empty() {
        out.push_str(&heading("Edges"));
        let bullet = if is_markdown { "- " } else { "  " };
        out.push_str(&edge_lines(pack, bullet));
    }
    if !pack.texts.is_empty() {
        out.push_str(&heading("Decisions and threads"));
        for one in &pack.texts {
            out.push_str(&text(one, format));
        }
    }
    if !pack.owners.is_empty() {
        out.push_str(&format!("\nowners: {}\n", pack.owners.join(", ")));
    }
    if pack.left_out > 0 {
        out.push_str(&format!(
            "\n{} more were found; {} shows them\n",
            pack.left_out,
            if pack.is_cut_by_limit { "a higher --limit" } else { "a larger --budget" }
        ));
    }
    out.push_str(&format!(
        "\n{} of {} tokens, pack {}\n",
        pack.tokens,
        pack.budget,
        short(&pack.pack_root)
    ));
    out
}

/// `Load calls changeConfig, Reloading`: edges of one kind from one symbol share a line.
pub(super) fn edge_lines(pack: &Pack, bullet: &str) -> String {
    let name = |at: usize| {
        pack.symbols.get(at).map_or("?", |it| agent_text::name_of_kind(&it.symbol, it.kind))
    };
    // Of the same type as the source: the type is said already.
    let name_beside = |at: usize, from: &str| -> &str {
        let (name, of) = (name(at), from.rsplit_once('.').map_or("", |(of, _)| of));
        let own = name.strip_prefix(of).and_then(|rest| rest.strip_prefix('.'));
        own.filter(|_| !of.is_empty()).unwrap_or(name)
    };
    let mut edges: Vec<&PackedEdge> = pack.edges.iter().collect();
    edges.sort_by_key(|edge| (edge.from, edge.kind.as_str(), edge.to));
    let mut out = String::new();
    for line in edges.chunk_by(|a, b| (a.from, &a.kind) == (b.from, &b.kind)) {
        let (from, kind) = (name(line[0].from), &line[0].kind);
        let targets: Vec<&str> = line.iter().map(|edge| name_beside(edge.to, from)).collect();
        out.push_str(&format!("{bullet}{from} {kind} {}\n", targets.join(", ")));
    }
    out
}

pub(super) fn short(root: &str) -> &str {
    root.get(..16).unwrap_or(root)
}

fn file_line(file: &PackedFile, is_markdown: bool) -> String {
    let (open, close) = if is_markdown { ("- `", "`") } else { ("  ", "") };
    let mut line = format!("{open}{}{close}  {}\n", file.path, file.why.join("; "));
    line.push_str(&shares_line(&file.shares));
    line
}

fn shares_line(shares: &[super::pack::ChannelShare]) -> String {
    if shares.is_empty() {
        return String::new();
    }
    let parts: Vec<String> = shares
        .iter()
        .map(|share| format!("{} {:.2}×{}", share.channel, share.score, share.weight))
        .collect();
    format!("      {}\n", parts.join(" + "))
}

fn symbol_lines(symbol: &PackedSymbol, format: Format) -> String {
    let is_markdown = format == Format::Markdown;
    let mut out = if is_markdown {
        format!("### `{}`\n{} {}:{}\n", symbol.symbol, symbol.kind, symbol.path, lines_of(symbol))
    } else {
        format!("  {} {}  {}:{}\n", symbol.kind, symbol.symbol, symbol.path, lines_of(symbol))
    };
    let indent = if is_markdown { "" } else { "    " };
    if !symbol.signature.is_empty() {
        let (open, close) = if is_markdown { ("`", "`") } else { ("", "") };
        out.push_str(&format!("{indent}{open}{}{close}\n", symbol.signature));
    }
    if !symbol.doc.is_empty() {
        out.push_str(&format!("{indent}{}\n", symbol.doc));
    }
    if !symbol.why.is_empty() {
        out.push_str(&format!("{indent}why: {}\n", symbol.why.join("; ")));
    }
    out.push_str(&shares_line(&symbol.shares));
    if let Some(body) = &symbol.body {
        if is_markdown {
            // A fence longer than any inside cannot be ended by the source.
            let fence = fence_for(body);
            out.push_str(&format!("{fence}\n{body}\n{fence}\n"));
        } else {
            for line in body.lines() {
                out.push_str(&format!("    | {line}\n"));
            }
        }
    }
    out
}

/// `12`, or `12, 40, 61` where the file has more of the name.
fn lines_of(symbol: &PackedSymbol) -> String {
    let more = symbol.other_lines.iter().map(|line| format!(", {line}"));
    format!("{}{}", symbol.line, more.collect::<String>())
}

fn fence_for(body: &str) -> String {
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn xml(pack: &Pack) -> String {
    let mut out = format!(
        "<context task=\"{}\" repo=\"{}\" commit=\"{}\" evidence=\"{}\" tokens=\"{}\" budget=\"{}\" \
         left_out=\"{}\" pack_root=\"{}\">\n",
        escaped(&pack.task),
        escaped(&pack.standing.name),
        pack.standing.commit,
        strength(pack).split(':').next().unwrap_or_default(),
        pack.tokens,
        pack.budget,
        pack.left_out,
        pack.pack_root
    );
    for note in &pack.notes {
        out.push_str(&format!("<note>{}</note>\n", escaped(note)));
    }
    for file in &pack.files {
        let why = escaped(&file.why.join("; "));
        out.push_str(&format!("<file path=\"{}\" why=\"{why}\"/>\n", escaped(&file.path)));
    }
    for one in &pack.symbols {
        out.push_str(&symbol_xml(one));
    }
    for edge in &pack.edges {
        out.push_str(&format!(
            "<edge from=\"{}\" kind=\"{}\" to=\"{}\"/>\n",
            edge.from, edge.kind, edge.to
        ));
    }
    for one in &pack.texts {
        out.push_str(&text(one, Format::Xml));
    }
    for owner in &pack.owners {
        out.push_str(&format!("<owner>{}</owner>\n", escaped(owner)));
    }
    out.push_str("</context>\n");
    out
}

fn symbol_xml(symbol: &PackedSymbol) -> String {
    let mut out = format!(
        "<symbol name=\"{}\" kind=\"{}\" at=\"{}:{}\" score=\"{}\" why=\"{}\">\n<signature>{}</signature>\n",
        escaped(&symbol.symbol),
        symbol.kind,
        escaped(&symbol.path),
        symbol.line,
        symbol.score,
        escaped(&symbol.why.join("; ")),
        escaped(&symbol.signature)
    );
    if !symbol.doc.is_empty() {
        out.push_str(&format!("<doc>{}</doc>\n", escaped(&symbol.doc)));
    }
    if let Some(body) = &symbol.body {
        out.push_str(&format!("<body>{}</body>\n", escaped(body)));
    }
    out.push_str("</symbol>\n");
    out
}

/// Nothing of an outside text may end the element or attribute it stands in.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no place for these.
            c if c.is_control() && !matches!(c, '\n' | '\t') => {}
            c => out.push(c),
        }
    }
    out
}
