//! Patches as Codex writes them, as far as to say which lines of which files change.

/// A file that a patch changes, by the lines it must find there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    pub path: String,
    /// Each run of lines that is there before: context and removed lines.
    pub old_blocks: Vec<String>,
    /// The same with what is added.
    pub new_blocks: Vec<String>,
}

/// Whether a text holds a patch.
pub fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// Files that are updated; those that are added or deleted have no lines to speak of.
pub fn files(patch: &str) -> Vec<PatchedFile> {
    let mut found: Vec<PatchedFile> = Vec::new();
    let (mut old, mut new) = (String::new(), String::new());
    let mut is_update = false;
    let flush = |found: &mut Vec<PatchedFile>, old: &mut String, new: &mut String| {
        if let Some(file) = found.last_mut()
            && !(old.is_empty() && new.is_empty())
        {
            file.old_blocks.push(std::mem::take(old));
            file.new_blocks.push(std::mem::take(new));
        }
    };
    for line in patch.lines() {
        if let Some(path) = line.strip_prefix("*** Update File: ") {
            flush(&mut found, &mut old, &mut new);
            is_update = true;
            let path = path.trim().to_owned();
            found.push(PatchedFile { path, old_blocks: Vec::new(), new_blocks: Vec::new() });
        } else if line.starts_with("*** ") {
            flush(&mut found, &mut old, &mut new);
            is_update &= line.starts_with("*** Move to:");
        } else if line.starts_with("@@") {
            flush(&mut found, &mut old, &mut new);
        } else if is_update {
            let (mark, rest) = line.split_at_checked(1).unwrap_or(("", ""));
            if matches!(mark, "-" | " " | "") {
                old.push_str(rest);
                old.push('\n');
            }
            if matches!(mark, "+" | " " | "") {
                new.push_str(rest);
                new.push('\n');
            }
        }
    }
    flush(&mut found, &mut old, &mut new);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_read_with_what_they_look_for() {
        let patch = "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: src/a.py\n@@ def f\n a\n-b\n+c\n@@\n-d\n*** Delete File: gone.py\n*** End Patch\n";
        assert!(is_patch(patch));
        assert_eq!(
            files(patch),
            [PatchedFile {
                path: "src/a.py".to_owned(),
                old_blocks: vec!["a\nb\n".to_owned(), "d\n".to_owned()],
                new_blocks: vec!["a\nc\n".to_owned(), String::new()],
            }]
        );
        assert!(files("nonsense").is_empty());
    }
}
