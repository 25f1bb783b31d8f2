use crate::text::{counted, grouped};
use crate::ui::{Label, Painter, Show};
use code::fsck::FsckReport;
use model::{Error, ErrorCode};

impl Show for FsckReport {
    fn text(&self, out: &mut Painter) {
        out.text(&format!(
            "checked {}, {}, {}, {}, {}",
            counted(self.snapshots, "snapshot", "snapshots"),
            counted(self.package_versions, "package version", "package versions"),
            counted(self.files, "file", "files"),
            counted(self.nodes, "node", "nodes"),
            counted(self.edges, "edge", "edges"),
        ))
        .end();
        for damage in &self.damage {
            out.label(Label::Bad, "✗ ").text(&format!("{}: {}", damage.kind, damage.message)).end();
        }
        let n_more = self.n_damage.saturating_sub(self.damage.len() as u64);
        if n_more > 0 {
            out.text(&format!("and {} more", grouped(n_more))).end();
        }
        if self.n_damage == 0 {
            out.label(Label::Good, "✓ ").text("every hash, root and link agrees").end();
        }
    }

    fn failure(&self) -> Option<Error> {
        (self.n_damage > 0).then(|| {
            Error::new(
                ErrorCode::Integrity,
                format!("{} found", counted(self.n_damage, "fault", "faults")),
            )
            .suggest("run: lore index --full")
        })
    }
}
