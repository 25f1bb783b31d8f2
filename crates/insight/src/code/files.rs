//! Files of a snapshot by what people type, and the symbols on their lines.

use super::view::View;
use model::Result;
use model::code::NodeKind;
use model::ids::NodeId;
use store::code::files;
use store::code::snapshots::Member;

/// Files whose path is what was typed, or ends with it; the shortest path first.
pub(crate) fn files_like(view: &View<'_>, typed: &str) -> Result<Vec<Member>> {
    let dir = view.scope.dir.as_deref().unwrap_or_default();
    let path = match typed.strip_prefix(dir) {
        Some(below) if !dir.is_empty() && below.starts_with('/') => below,
        _ => typed,
    };
    let path = path.trim_start_matches("./").trim_start_matches('/');
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(package) = files::find_package(view.reader, view.scope.repo.id, folder)?
        && let Some(member) = member_named(view, package, name)?
    {
        return Ok(vec![member]);
    }
    let ending = format!("/{path}");
    let mut found = Vec::new();
    let mut seen = Vec::new();
    for row in files::named(view.reader, view.scope.repo.id, name)? {
        if seen.contains(&row.package) {
            continue;
        }
        seen.push(row.package);
        let whole = format!("/{}/{name}", view.package_path(row.package)?);
        if whole.ends_with(&ending)
            && let Some(member) = member_named(view, row.package, name)?
        {
            found.push((whole.len(), whole, member));
        }
    }
    found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    Ok(found.into_iter().map(|(_, _, member)| member).collect())
}

/// The file of exactly this path.
pub(crate) fn exact_file(view: &View<'_>, path: &str) -> Result<Option<Member>> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match files::find_package(view.reader, view.scope.repo.id, folder)? {
        Some(package) => member_named(view, package, name),
        None => Ok(None),
    }
}

fn member_named(
    view: &View<'_>,
    package: model::ids::PackageId,
    name: &str,
) -> Result<Option<Member>> {
    let Some(version) = view.version(package)? else { return Ok(None) };
    for member in &version.members {
        if view.file(member.file)?.name == name {
            return Ok(Some(*member));
        }
    }
    Ok(None)
}

/// The innermost symbol around a line; the module of the file where there is none.
pub(super) fn symbol_at(view: &View<'_>, member: Member, line: u32) -> Result<Option<NodeId>> {
    let outline = view.outline(member.file)?;
    let around = outline
        .iter()
        .enumerate()
        .filter(|(_, symbol)| (symbol.start_line..=symbol.end_line).contains(&line))
        .max_by_key(|(at, symbol)| (symbol.kind != NodeKind::Module, symbol.start_line, *at));
    let module = || outline.iter().position(|symbol| symbol.kind == NodeKind::Module);
    let Some(at) = around.map(|(at, _)| at).or_else(module) else { return Ok(None) };
    Ok(view.nodes_of(member.file)?.get(at).copied())
}
