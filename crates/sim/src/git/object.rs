//! The names git gives to objects, computed without git.
//!
//! git names an object by the SHA-1 of its kind, length and bytes. Knowing the
//! names beforehand lets a scenario be played on a machine that has no git; the
//! tests hold the result against the real one.

use std::fmt;

/// The name of a git object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 20]);

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn object(kind: &str, content: &[u8]) -> ObjectId {
    let mut bytes = format!("{kind} {}\0", content.len()).into_bytes();
    bytes.extend_from_slice(content);
    ObjectId(sha1(&bytes))
}

pub fn blob(content: &str) -> ObjectId {
    object("blob", content.as_bytes())
}

pub fn commit(content: &str) -> ObjectId {
    object("commit", content.as_bytes())
}

/// The tree that holds these files; paths are sorted and relative to it.
pub fn tree(files: &[(&str, ObjectId)]) -> ObjectId {
    // Name as sorted, mode, name as written, object. git sorts a folder as if
    // its name ended in a slash.
    let mut entries: Vec<(String, &str, &str, ObjectId)> = Vec::new();
    let mut rest = files;
    while let Some((path, id)) = rest.first() {
        let Some((folder, _)) = path.split_once('/') else {
            entries.push(((*path).to_owned(), "100644", path, *id));
            rest = &rest[1..];
            continue;
        };
        let inside = |path: &str| path.strip_prefix(folder)?.strip_prefix('/').map(str::len);
        let n_inside = rest.iter().take_while(|(path, _)| inside(path).is_some()).count();
        let (members, others) = rest.split_at(n_inside);
        let members: Vec<(&str, ObjectId)> =
            members.iter().map(|(path, id)| (&path[folder.len() + 1..], *id)).collect();
        entries.push((format!("{folder}/"), "40000", folder, tree(&members)));
        rest = others;
    }
    entries.sort();
    let mut content = Vec::new();
    for (_, mode, name, id) in entries {
        content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        content.extend_from_slice(&id.0);
    }
    object("tree", &content)
}

/// SHA-1 as in RFC 3174. Only for naming objects as git does; nothing here
/// relies on it being hard to forge.
fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());

    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in message.chunks_exact(64) {
        let mut w = [0u32; 80];
        for (word, four) in w.iter_mut().zip(block.chunks_exact(4)) {
            *word = four.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        }
        for i in 16..80 {
            w[i] = (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in w.iter().enumerate() {
            let (mix, constant) = match i {
                0..20 => ((b & c) | (!b & d), 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(mix)
                .wrapping_add(e)
                .wrapping_add(constant)
                .wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, word) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(word);
        }
    }
    let mut digest = [0; 20];
    for (four, word) in digest.chunks_exact_mut(4).zip(state) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha1_agrees_with_sha1sum() {
        for (text, sum) in [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            ),
        ] {
            assert_eq!(ObjectId(sha1(text.as_bytes())).to_string(), sum);
        }
    }

    #[test]
    fn well_known_objects() {
        assert_eq!(blob("").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(tree(&[]).to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    }
}
