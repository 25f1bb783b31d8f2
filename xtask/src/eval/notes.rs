//! Notes labelled by hand, ranked by how likely they carry a decision or its
//! reason: how many of the first ten do?
//!
//! The file is a list of `{project, ref, note, label, half}`; a label above
//! zero means that the note does. Each half is ranked on its own.

use super::{Outcome, read_json};
use insight::decisions::judge_all;
use model::EntityKind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::entities::EntityRow;
use store::{Reader, timeline};

struct Judged {
    points: i32,
    is_decision_bearing: bool,
    label: i64,
    name: String,
}

pub fn run(labels: &Path, db: &Path) -> Outcome<()> {
    let labelled = read_json(labels)?;
    let reader = Reader::open(db)?;
    let items = labelled.as_array().ok_or("the labels are not a list")?;
    let halves: BTreeSet<&str> = items.iter().filter_map(|item| item["half"].as_str()).collect();
    for half in halves {
        let mut judged = Vec::new();
        for item in items.iter().filter(|item| item["half"] == half) {
            judged.push(judge(&reader, item)?);
        }
        judged.sort_by(|a, b| b.points.cmp(&a.points).then_with(|| a.name.cmp(&b.name)));
        report(half, &judged);
    }
    Ok(())
}

fn judge(reader: &Reader, item: &Value) -> Outcome<Judged> {
    let (reference, note) = (item["ref"].as_str().ok_or("no ref")?, item["note"].as_i64());
    let kind = EntityKind::ALL
        .into_iter()
        .find(|kind| reference.starts_with(kind.sigil()))
        .ok_or("a ref begins with # or !")?;
    let project = item["project"].as_str().ok_or("no project")?;
    let found = insight::entities::show(reader, kind, reference, Some(project))?;
    let rows = [EntityRow { kind, id: found.summary.id }];
    let heads: BTreeMap<_, _> =
        timeline::heads(reader, &rows)?.into_iter().map(|head| (head.row, head)).collect();
    let notes = timeline::notes(reader, &rows, usize::MAX >> 1)?;
    let place = notes.iter().position(|it| Some(it.forge_id) == note).ok_or("no such note")?;
    let judgement = judge_all(&heads, &notes).swap_remove(place);
    Ok(Judged {
        points: judgement.points,
        is_decision_bearing: judgement.is_decision_bearing(),
        label: item["label"].as_i64().unwrap_or(0),
        name: format!("{reference} {} {}", item["n"], item["author"]),
    })
}

fn report(half: &str, judged: &[Judged]) {
    let n_true = judged.iter().filter(|it| it.label > 0).count();
    let top = judged.iter().take(10);
    println!(
        "{half}: {n_true} of {} carry a decision or reason; of the first ten {}, of the first \
         {n_true} {}",
        judged.len(),
        top.filter(|it| it.label > 0).count(),
        judged.iter().take(n_true).filter(|it| it.label > 0).count()
    );
    let bearing: Vec<&Judged> = judged.iter().filter(|it| it.is_decision_bearing).collect();
    println!(
        "  counted as decision-bearing: {}, rightly {}",
        bearing.len(),
        bearing.iter().filter(|it| it.label > 0).count()
    );
    for it in judged {
        println!("  {:5.1}  {}  {}", f64::from(it.points) / 10.0, it.label, it.name);
    }
}
