//! Members of what a constant or variable holds: `NestFactory.create`, where
//! `NestFactory = new NestFactoryStatic()`.

use super::files::files_like;
use super::view::View;
use model::Result;
use model::code::{NodeKind, SymbolKind};
use store::code::nodes;

/// Holders of one name that are looked at.
const MOST_HOLDERS: usize = 16;

/// The names that a dotted name stands for by the classes of its holder's value.
pub(super) fn names_through_value(view: &View<'_>, typed: &str) -> Result<Vec<String>> {
    let Some((holder, member)) = typed.trim().rsplit_once('.') else { return Ok(Vec::new()) };
    let holder = holder.rsplit('.').next().unwrap_or(holder);
    let is_value = |kind| matches!(kind, NodeKind::Const | NodeKind::Var | NodeKind::Field);
    let mut names = Vec::new();
    let holders = nodes::named(view.reader, holder)?.into_iter().filter(|it| is_value(it.kind));
    for node in holders.take(MOST_HOLDERS) {
        let Some(at) = view.symbol(node.id)?.filter(|at| !at.path.is_empty()) else { continue };
        for class in classes_at(view, &at.path, at.line)? {
            let name = format!("{class}.{member}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// The classes that code of a file, outside of functions, uses in a line.
fn classes_at(view: &View<'_>, path: &str, line: u32) -> Result<Vec<String>> {
    let mut classes = Vec::new();
    for member in files_like(view, path)? {
        let outline = view.outline(member.file)?;
        let nodes = view.nodes_of(member.file)?;
        let modules =
            outline.iter().zip(nodes.iter()).filter(|(it, _)| it.kind == NodeKind::Module);
        for (_, module) in modules {
            for step in view.outgoing(*module)? {
                if step.file != member.file || step.line != line {
                    continue;
                }
                let Some(target) = view.symbol(step.node)? else { continue };
                match target.kind {
                    SymbolKind::Class | SymbolKind::Type => classes.push(target.symbol),
                    // A constructor that is written.
                    SymbolKind::Method => classes
                        .extend(target.symbol.rsplit_once('.').map(|(class, _)| class.to_owned())),
                    _ => {}
                }
            }
        }
    }
    Ok(classes)
}
