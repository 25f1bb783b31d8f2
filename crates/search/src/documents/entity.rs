//! The document of an issue or merge request.

use super::draft::{Draft, Section, one_line};
use model::EntityKind;
use store::documents::{Document, EntitySource};

pub fn of_entity(id: i64, entity: &EntitySource) -> Document {
    let mut draft = Draft::new(entity.kind.into(), id, entity.created_at, &named(entity));
    describe(&mut draft, entity);
    draft.updated_at = entity.updated_at;
    draft.author.clone_from(&entity.author);
    draft.paths.clone_from(&entity.paths);
    draft.url.clone_from(&entity.web_url);
    head(&mut draft, entity, &entity.web_url);
    draft.line("State", entity.state.as_str());
    author_line(&mut draft, entity.author.as_deref());
    if let Some((source, target)) = &entity.branches {
        draft.line("Branches", &format!("{source} -> {target}"));
    }
    draft.body(Section::Description, entity.description.as_deref().unwrap_or("").trim());
    draft.finish()
}

/// What a thread shares with what it hangs on.
pub fn describe(draft: &mut Draft, entity: &EntitySource) {
    draft.project = Some(entity.project);
    draft.reference = format!("{}{}", entity.kind.sigil(), entity.iid);
    draft.title.clone_from(&entity.title);
    draft.state = Some(entity.state.as_str().to_owned());
    draft.labels.clone_from(&entity.labels);
}

pub fn head(draft: &mut Draft, entity: &EntitySource, url: &str) {
    draft.line("Project", &entity.project_path);
    draft.address(url);
    draft.list("Labels", &entity.labels);
}

pub fn author_line(draft: &mut Draft, author: Option<&str>) {
    if let Some(author) = author {
        draft.line("Author", &format!("@{author}"));
    }
}

/// `Issue #12: Login fails`.
pub fn named(entity: &EntitySource) -> String {
    let kind = match entity.kind {
        EntityKind::Issue => "Issue",
        EntityKind::MergeRequest => "Merge request",
    };
    format!("{kind} {}{}: {}", entity.kind.sigil(), entity.iid, one_line(&entity.title))
}
