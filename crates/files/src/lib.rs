//! Reads and writes files that a stranger may have prepared.
//!
//! A clone can hold links, devices, pipes and endless files under any name lore
//! looks for. Everything lore reads outside its database goes through the
//! bounded readers here, and everything it writes through [`replace`] and
//! [`replace_below`]: a fresh file of a random name, created exclusively and
//! renamed into place. Functions whose name ends in `_below` follow no link
//! below a given folder; the others serve the user's own folders, where links
//! are the user's choice.
//!
//! `xtask tidy` keeps `File::create`, `fs::write` and their like out of the
//! other crates (tidy: `file-creation`).

mod below;
mod read;
mod watch;
mod write;

pub use below::{Entry, create_dirs_below, entry_below, is_link_error, read_link_below};
pub use read::{ReadError, open_regular, read, read_below, read_text, read_text_below};
pub use watch::{FolderNews, FolderWatch};
pub use write::{
    append, create_dirs, create_new, create_temp, open_append, open_lock, open_lock_below,
    remove_below, replace, replace_below,
};

#[cfg(test)]
mod tests;
