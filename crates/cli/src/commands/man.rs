use super::Run;
use crate::args;
use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use clap_mangen::Man;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Print the man page, or write all of them to a directory
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore man | man -l -
  lore man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write one page per command to this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Manual {
    /// The page of `lore` itself.
    Page { text: String },
    /// The files that were written.
    Written { files: Vec<String> },
}

impl Run for Args {
    type Answer = Manual;

    fn run(&self, ctx: &Ctx, _: &mut Ui) -> Result<Manual> {
        let mut root = args::command();
        root.build();
        match &self.dir {
            None => Ok(Manual::Page { text: page(&root)? }),
            Some(dir) => {
                let dir = ctx.env.cwd.join(dir);
                std::fs::create_dir_all(&dir).map_err(|error| cannot_write(&dir, error))?;
                let mut files = Vec::new();
                write_pages(&root, "lore", &dir, &mut files)?;
                Ok(Manual::Written { files })
            }
        }
    }
}

fn write_pages(
    command: &clap::Command,
    name: &str,
    dir: &Path,
    files: &mut Vec<String>,
) -> Result<()> {
    let path = dir.join(format!("{name}.1"));
    let command = command.clone().name(name.to_owned());
    files::replace(&path, page(&command)?.as_bytes(), 0o666)
        .map_err(|error| cannot_write(&path, error))?;
    files.push(path.display().to_string());
    for sub in command.get_subcommands() {
        write_pages(sub, &format!("{name}-{}", sub.get_name()), dir, files)?;
    }
    Ok(())
}

fn page(command: &clap::Command) -> Result<String> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .manual("lore manual")
        .render(&mut page)
        .map_err(|error| Error::internal("cannot render the manual page").caused_by(error))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorCode::Usage, format!("cannot write {}", path.display()))
        .suggest("choose another folder with --dir")
        .caused_by(error)
}

impl Show for Manual {
    fn text(&self, out: &mut Painter) {
        match self {
            Manual::Page { text } => {
                out.verbatim(text);
            }
            Manual::Written { files } => {
                for file in files {
                    out.line(file);
                }
            }
        }
    }
}
