//! What a type defines, wherever it is written: within the type, beside it, in other
//! files.

use super::outline::{FileOutline, OutlineSymbol, is_detail};
use super::resolve;
use super::view::View;
use model::Result;
use model::code::{EdgeKind, NodeKind, language_name};
use model::ids::{FileId, NodeId};
use std::collections::BTreeSet;

/// The members of the likeliest type that has a name; none where no type has it.
pub(super) fn of_type(view: &View<'_>, typed: &str, is_full: bool) -> Result<Option<FileOutline>> {
    let mut found = None;
    for node in resolve::find(view, typed)?.1 {
        if view.node(node)?.is_some_and(|row| is_type(row.kind)) {
            found = Some(node);
            break;
        }
    }
    let Some(of) = found else { return Ok(None) };
    let (Some(at), Some(row)) = (view.symbol(of)?, view.node(of)?) else { return Ok(None) };
    let whole = row.symbol();
    let mut files: BTreeSet<FileId> = view.places(of)?.iter().map(|place| place.file).collect();
    // Methods of Go stand in any file of the package.
    if let Some(package) = view.version(row.package)? {
        files.extend(package.members.iter().map(|member| member.file));
    }
    let mut ids: BTreeSet<NodeId> = BTreeSet::new();
    for step in view.outgoing(of)?.iter().filter(|step| step.kind == EdgeKind::Contains) {
        ids.insert(step.node);
        files.extend(view.places(step.node)?.iter().map(|place| place.file));
    }
    let (mut symbols, mut left_out) = (Vec::new(), 0);
    let details: Vec<NodeKind> =
        NodeKind::ALL.iter().copied().filter(|kind| is_detail(*kind)).collect();
    for file in files {
        let path = view.path(file)?;
        let of_text = view.edited(&path).and_then(|edited| edited.symbols.as_ref());
        let mut members: Vec<OutlineSymbol> = Vec::new();
        if let Some(now) = of_text {
            let own = now.iter().filter(|it| it.symbol == format!("{whole}.{}", it.name));
            members.extend(own.map(|it| OutlineSymbol {
                name: it.name.clone(),
                kind: it.kind.into(),
                path: None,
                line: it.name_line,
                end_line: it.end_line,
                depth: 0,
                signature: it.signature.clone(),
                is_test: it.is_test,
            }));
        } else {
            for (entry, node) in view.outline(file)?.iter().zip(view.nodes_of(file)?.iter()) {
                let Some(member) = view.node(*node)? else { continue };
                let is_own = member.package == row.package && member.scope == whole;
                if *node == of || entry.name_line == 0 || !(is_own || ids.contains(node)) {
                    continue;
                }
                members.push(OutlineSymbol {
                    name: member.name.clone(),
                    kind: entry.kind.into(),
                    path: None,
                    line: entry.name_line,
                    end_line: entry.end_line,
                    depth: 0,
                    signature: entry.signature.clone(),
                    is_test: entry.is_test,
                });
            }
        }
        let is_elsewhere = path != at.path;
        for mut member in members {
            if !is_full && details.iter().any(|kind| member.kind == *kind) {
                left_out += 1;
                continue;
            }
            member.path = is_elsewhere.then(|| path.clone());
            symbols.push(member);
        }
    }
    // Its own file first.
    symbols.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    let language = match view.places(of)?.first() {
        Some(place) => language_name(&view.file(place.file)?.language, &at.path).to_owned(),
        None => String::new(),
    };
    Ok(Some(FileOutline {
        standing: view.scope.standing(),
        path: at.path.clone(),
        of: Some(at),
        language,
        symbols,
        left_out,
        trouble: None,
        others: Vec::new(),
    }))
}

/// What may have members and subtypes of its own.
pub(super) const fn is_type(kind: NodeKind) -> bool {
    !matches!(
        kind,
        NodeKind::Function
            | NodeKind::Method
            | NodeKind::Const
            | NodeKind::Var
            | NodeKind::Field
            | NodeKind::Column
            | NodeKind::RouteHandler
            | NodeKind::Package
            | NodeKind::Selector
            | NodeKind::Job
            | NodeKind::External
    )
}
