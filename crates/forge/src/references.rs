//! From what is stored about an entity to its relations with others.
//!
//! Pure: everything comes in as [`Inputs`], everything goes out as
//! observations. They are derived afresh whenever any input changed, so an
//! edited description or a deleted note takes its relations with it.

use crate::api::SystemNote;
use crate::closing;
use model::reference::EntityReference;
use model::relation::{Certainty, EntityName, EvidenceSource, Observation, RelationType};
use model::{EntityKind, Reference, Timestamp, change_text};
use std::collections::BTreeMap;
use store::references::{Inputs, NoteInput};

/// All relations the entity's data speaks of, each once per method.
pub(crate) fn derive(
    inputs: &Inputs,
    read_system_note: impl Fn(&str) -> SystemNote,
) -> Vec<Observation> {
    let mut found = RelationCollector { inputs, all: BTreeMap::new() };
    found.api_facts();
    found.commit_facts();
    found.text(inputs.title.as_deref(), EvidenceSource::Description, None, None);
    found.text(inputs.description.as_deref(), EvidenceSource::Description, None, None);
    for message in &inputs.commit_messages {
        found.text(Some(message), EvidenceSource::CommitMessage, None, None);
    }
    for note in &inputs.notes {
        if note.is_system {
            found.system_note(note, read_system_note(&note.body));
        } else {
            found.text(
                Some(&note.body),
                EvidenceSource::Note,
                Some(note.id),
                Some(note.created_at),
            );
        }
    }
    found.all.into_values().collect()
}

type Key = (EntityName, EntityName, RelationType, EvidenceSource);

struct RelationCollector<'a> {
    inputs: &'a Inputs,
    all: BTreeMap<Key, Observation>,
}

impl RelationCollector<'_> {
    fn api_facts(&mut self) {
        let this = self.inputs.this.clone();
        for closed in &self.inputs.closes {
            self.add(
                this.clone(),
                closed.clone(),
                RelationType::Closes,
                EvidenceSource::ApiClosesIssues,
            )
            .certainty = Certainty::Declared;
        }
        for (closer, at) in &self.inputs.closed_by_event {
            self.add(
                closer.clone(),
                this.clone(),
                RelationType::Closes,
                EvidenceSource::ApiStateEvent,
            )
            .at = Some(*at);
        }
        for (closer, at) in &self.inputs.closed_by_inference {
            let found = self.add(
                closer.clone(),
                this.clone(),
                RelationType::Closes,
                EvidenceSource::ApiClosedBy,
            );
            found.certainty = Certainty::Inferred;
            found.at = Some(*at);
        }
        if let Some(moved_to) = self.inputs.moved_to.clone() {
            self.add(this.clone(), moved_to, RelationType::Moved, EvidenceSource::ApiEntity);
        }
        if let Some(original) = self.inputs.duplicate_of.clone() {
            self.add(this, original, RelationType::Duplicate, EvidenceSource::ApiEntity);
        }
    }

    /// In a merge request's description and commits closing words count; in
    /// any other text they are only talk.
    fn text(
        &mut self,
        text: Option<&str>,
        method: EvidenceSource,
        note: Option<i64>,
        at: Option<Timestamp>,
    ) {
        let Some(text) = text else { return };
        let this = self.inputs.this.clone();
        let may_close = this.kind == EntityKind::MergeRequest && method != EvidenceSource::Note;
        self.followed_changes(text, method, note, at);
        for (reference, is_closing) in
            closing::references(text, self.inputs.forge.dialect().closing_keywords())
        {
            let Reference::Entity(other) = reference else { continue };
            let closes = may_close && is_closing && other.kind == EntityKind::Issue;
            let target = self.name(&other);
            if target == this {
                continue;
            }
            let relation = if closes { RelationType::Closes } else { RelationType::Mentioned };
            let found = self.add(this.clone(), target, relation, method);
            if closes {
                found.certainty = Certainty::Declared;
            }
            if found.note.is_none() {
                found.note = note;
                found.at = at;
            }
        }
    }

    /// How this one continues, replaces or undoes another, as a text states it.
    fn followed_changes(
        &mut self,
        text: &str,
        method: EvidenceSource,
        note: Option<i64>,
        at: Option<Timestamp>,
    ) {
        for stated in change_text::stated_relations(text) {
            // Numbers in messages often mean another tracker's, which people
            // write like issues.
            if method == EvidenceSource::CommitMessage && stated.other.kind == EntityKind::Issue {
                continue;
            }
            let other = self.name(&stated.other);
            if let Some(found) = self.follows(stated.relation, stated.is_incoming, other, method)
                && found.note.is_none()
            {
                found.note = note;
                found.at = at;
            }
        }
    }

    /// None where such a relation cannot hold.
    fn follows(
        &mut self,
        relation: RelationType,
        is_incoming: bool,
        other: EntityName,
        method: EvidenceSource,
    ) -> Option<&mut Observation> {
        let this = self.inputs.this.clone();
        let is_possible = other != this
            && if is_incoming {
                change_text::can_relate(relation, other.kind, this.kind)
            } else {
                change_text::can_relate(relation, this.kind, other.kind)
            };
        if !is_possible {
            return None;
        }
        let (source, target) = if is_incoming { (other, this) } else { (this, other) };
        Some(self.add(source, target, relation, method))
    }

    /// What commits of this merge request say of commits of others, and the
    /// commits it has in common with one that was closed.
    fn commit_facts(&mut self) {
        for (relation, other) in &self.inputs.commit_relations {
            self.follows(*relation, false, other.clone(), EvidenceSource::CommitMessage);
        }
        for (is_incoming, other) in &self.inputs.shared_commits {
            let (relation, method) = (RelationType::Continues, EvidenceSource::SharedCommits);
            if let Some(found) = self.follows(relation, *is_incoming, other.clone(), method) {
                found.certainty = Certainty::Inferred;
            }
        }
    }

    fn system_note(&mut self, note: &NoteInput, said: SystemNote) {
        let this = self.inputs.this.clone();
        for link in said.links {
            let other = self.name(&link.other);
            let is_odd = link.relation == RelationType::Closes && this.kind != EntityKind::Issue;
            if other == this || is_odd {
                continue;
            }
            let (source, target) =
                if link.is_incoming { (other, this.clone()) } else { (this.clone(), other) };
            if link.is_removed {
                self.all.remove(&(source, target, link.relation, EvidenceSource::SystemNote));
                continue;
            }
            let found = self.add(source, target, link.relation, EvidenceSource::SystemNote);
            found.note.get_or_insert(note.id);
            found.at.get_or_insert(note.created_at);
        }
    }

    fn name(&self, other: &EntityReference) -> EntityName {
        let home = &self.inputs.this;
        // The same forge may be reached by another name than people write.
        let host = match &other.host {
            Some(host) if *host != self.inputs.web_host => host,
            _ => &home.host,
        };
        EntityName {
            kind: other.kind,
            host: host.clone(),
            project: other.project_path(&home.project),
            iid: other.iid,
        }
    }

    fn add(
        &mut self,
        source: EntityName,
        target: EntityName,
        relation: RelationType,
        method: EvidenceSource,
    ) -> &mut Observation {
        self.all.entry((source.clone(), target.clone(), relation, method)).or_insert(Observation {
            source,
            target,
            relation,
            method,
            certainty: Certainty::Stated,
            note: None,
            at: None,
        })
    }
}
