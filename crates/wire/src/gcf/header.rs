//! The first line of a payload.

use super::rating::PartNames;
use super::read::{milli, unknown};
use super::word::Words;
use super::{MAGIC, MAX_PARTS};
use crate::{Text, malformed};
use model::Result;
use rustc_hash::FxHashSet;

/// The first line. What it leaves out is as in the payload before.
#[derive(Default)]
pub struct Header {
    pub tool: Text,
    pub session: Option<usize>,
    pub root: Root,
    pub budget: Option<u32>,
    pub used: u32,
    pub parts: Parts,
    /// Of new symbols that do not say it.
    pub distance: Option<u8>,
    pub basis: usize,
}

#[derive(Default)]
pub enum Root {
    #[default]
    AsBefore,
    None,
    Is(Text),
}

#[derive(Default)]
pub enum Parts {
    #[default]
    None,
    AsBefore,
    Named(PartNames),
}

/// How many payloads of its session came before; none where it stands alone.
pub fn session_of(text: &str) -> Result<Option<usize>> {
    Ok(Header::read(text.split('\n').next().unwrap_or_default())?.session)
}

impl Header {
    pub fn read(line: &str) -> Result<Header> {
        let mut words = Words::new(line);
        if words.bare(&[]).ok() != Some(MAGIC) {
            return Err(malformed("this is no gcf of a version that is known"));
        }
        words.blank()?;
        let mut header = Header { tool: words.word(&[])?.into(), ..Header::default() };
        while words.has_more()? {
            match words.key()? {
                "root" if words.is_quoted() => header.root = Root::Is(words.quoted()?.into()),
                "root" => {
                    let root = words.bare(&[])?;
                    header.root = if root == "_" { Root::None } else { Root::Is(root.into()) };
                }
                "session" => header.session = Some(words.number(&[])?),
                "budget" => header.budget = Some(words.number(&[])?),
                "used" => header.used = words.number(&[])?,
                "parts" => header.parts = part_names(&mut words)?,
                "dist" => header.distance = Some(words.number(&[])?),
                "why" => header.basis = words.number(&[])?,
                key => return Err(unknown("key", key)),
            }
        }
        Ok(header)
    }
}

fn part_names(words: &mut Words<'_>) -> Result<Parts> {
    let mut names: PartNames = Vec::new();
    loop {
        let is_quoted = words.is_quoted();
        let name = words.word(&['/', ':'])?;
        if name == "~" && !is_quoted {
            return Ok(Parts::AsBefore);
        }
        let value = if words.eat(':') { Some(milli(words.bare(&['/'])?)?) } else { None };
        names.push((name.into(), value));
        if !words.eat('/') {
            break;
        }
    }
    // Values come with every symbol: few, or short lines become long lists.
    let different: FxHashSet<&Text> = names.iter().map(|(name, _)| name).collect();
    if names.len() <= MAX_PARTS && different.len() == names.len() {
        Ok(Parts::Named(names))
    } else {
        Err(malformed("the parts of scores are too many or named twice"))
    }
}
