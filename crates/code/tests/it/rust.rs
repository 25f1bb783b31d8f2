//! Rust: modules, traits, generics, macros.

use crate::check;
use expect_test::expect;

#[test]
fn paths_lead_through_modules_crates_and_reexports() {
    check(
        "
--- Cargo.toml
[workspace]
--- util/Cargo.toml
[package]
name = \"my-util\"
--- util/src/lib.rs
pub use crate::text::trim as cut;
pub mod text;
--- util/src/text.rs
pub fn trim() {}
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() { trim(); super::trim(); crate::text::trim(); }
}
--- app/Cargo.toml
[package]
name = \"app\"
--- app/src/main.rs
use my_util::{self as util, cut};
use std::fs;
mod inner { pub fn go() { super::helper() } }
fn helper() {}
fn main() {
    cut();
    util::text::trim();
    inner::go();
    fs::read(\"x\");
}
",
        expect![[r#"
            util/src/text.rs:6 trim -> util/src/text.rs trim 95
            util/src/text.rs:6 super.trim -> util/src/text.rs trim 95
            util/src/text.rs:6 crate.text.trim -> util/src/text.rs trim 95
            app/src/main.rs:3 super.helper -> app/src/main.rs helper 95
            app/src/main.rs:6 cut -> util/src/text.rs trim 95
            app/src/main.rs:7 util.text.trim -> util/src/text.rs trim 95
            app/src/main.rs:8 inner.go -> app/src/main.rs inner.go 95
            app/src/main.rs:9 fs.read -- unknown
        "#]],
    );
}

#[test]
fn methods_come_from_impls_traits_bounds_and_through_pointers() {
    check(
        "
--- Cargo.toml
[package]
name = \"m\"
--- src/lib.rs
use std::sync::Arc;
pub trait Shape { fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2.0 } }
#[derive(Clone)]
pub struct Square { side: f64 }
impl Square {
    pub fn new(side: f64) -> Self { Self { side } }
    pub fn side(&self) -> f64 { self.side }
}
impl Shape for Square { fn area(&self) -> f64 { self.side() } }
pub struct Bag<S> { items: Vec<S>, first: Option<Arc<S>> }
impl<S: Shape> Bag<S> {
    fn total(&self) -> f64 { self.items.iter().map(|s| s.area()).sum() }
    fn first(&self) -> Option<&S> { self.first.as_deref() }
}
fn use_all(bag: Bag<Square>, any: &dyn Shape, f: impl Fn(u32)) {
    if let Some(square) = bag.first() { square.side(); }
    for item in &bag.items { item.clone().twice(); }
    any.area();
    f(1);
    println!(\"{}\", Square::new(1.0).side());
    let side = |x: Square| x.side();
}
",
        expect![[r#"
            src/lib.rs:2 self.area -> src/lib.rs Shape.area 95
            src/lib.rs:9 self.side -> src/lib.rs Square.side 95
            src/lib.rs:12 self.items.iter -- external
            src/lib.rs:12 self.items.iter().map -- external
            src/lib.rs:12 s.area -> src/lib.rs Shape.area 85
            src/lib.rs:12 self.items.iter().map().sum -- external
            src/lib.rs:13 self.first.as_deref -- external
            src/lib.rs:16 bag.first -> src/lib.rs Bag.first 90
            src/lib.rs:16 square.side -> src/lib.rs Square.side 85
            src/lib.rs:17 item.clone -- external
            src/lib.rs:17 item.clone().twice -> src/lib.rs Shape.twice 85
            src/lib.rs:18 any.area -> src/lib.rs Shape.area 90
            src/lib.rs:19 f -- value
            src/lib.rs:20 Square.new -> src/lib.rs Square.new 95
            src/lib.rs:20 Square.new().side -> src/lib.rs Square.side 90
            src/lib.rs:21 x.side -> src/lib.rs Square.side 85
            src/lib.rs Square implements src/lib.rs Shape
            src/lib.rs Square.area overrides src/lib.rs Shape.area
        "#]],
    );
}

#[test]
fn results_of_libraries_and_cases_of_imported_enums_hold_what_they_are_given() {
    check(
        r#"
--- Cargo.toml
[package]
name = "m"
--- src/lib.rs
mod get;
pub use get::Get;
pub type Result<T> = std::result::Result<T, Error>;
pub struct Error;
pub enum Command { Get(Get), Quit }
pub struct Args;
pub struct Worker;
impl Worker { pub fn run(&self) {} }
impl Args {
    fn worker(&self) -> anyhow::Result<Worker> { todo!() }
    fn other(&self) -> crate::Result<Worker> { todo!() }
}
impl Command {
    fn apply(self) {
        use Command::*;
        match self {
            Get(cmd) => cmd.apply(),
            Quit => {}
        }
    }
}
fn main(args: Args) -> anyhow::Result<()> {
    let worker = args.worker()?;
    worker.run();
    args.other()?.run();
    args.worker().unwrap().run();
    Ok(())
}
--- src/get.rs
pub struct Get { key: String }
impl Get { pub fn apply(self) {} }
"#,
        expect![[r#"
            src/lib.rs:17 cmd.apply -> src/get.rs Get.apply 85
            src/lib.rs:23 args.worker -> src/lib.rs Args.worker 90
            src/lib.rs:24 worker.run -> src/lib.rs Worker.run 85
            src/lib.rs:25 args.other -> src/lib.rs Args.other 90
            src/lib.rs:25 args.other().run -> src/lib.rs Worker.run 90
            src/lib.rs:26 args.worker -> src/lib.rs Args.worker 90
            src/lib.rs:26 args.worker().unwrap -- external
            src/lib.rs:26 args.worker().unwrap().run -> src/lib.rs Worker.run 90
            src/lib.rs:27 Ok -- external
        "#]],
    );
}

#[test]
fn items_in_a_macro_are_defined_where_it_stands() {
    check(
        "
--- Cargo.toml
[package]
name = \"m\"
--- src/lib.rs
pub mod io { pub trait Read { fn read(&self); } }
macro_rules! cfg_fs { ($($item:item)*) => { $($item)* } }
cfg_fs! {
    pub mod fs;
}
cfg_fs! {
    /// A stream.
    pub struct Stream;
    cfg_fs! { pub fn inner() {} }
}
impl Stream { pub fn open() -> Stream { inner(); Stream } }
impl io::Read for Stream { fn read(&self) {} }
thread_local! { static COUNT: Stream = Stream::open(); }
lazy! { static ref OLD: Stream = Stream::open(); }
fn main() {
    fs::File::create().read();
    Stream::open().read();
}
--- src/fs.rs
use crate::io::Read;
pub struct File;
impl File { pub fn create() -> File { File } }
impl Read for File { fn read(&self) {} }
",
        expect![[r#"
            src/lib.rs:11 inner -> src/lib.rs inner 95
            src/lib.rs:13 Stream.open -> src/lib.rs Stream.open 95
            src/lib.rs:14 Stream.open -> src/lib.rs Stream.open 95
            src/lib.rs:16 fs.File.create -> src/fs.rs File.create 95
            src/lib.rs:16 fs.File.create().read -> src/fs.rs File.read 90
            src/lib.rs:17 Stream.open -> src/lib.rs Stream.open 95
            src/lib.rs:17 Stream.open().read -> src/lib.rs Stream.read 90
            src/fs.rs File implements src/lib.rs io.Read
            src/fs.rs File.read overrides src/lib.rs io.Read.read
            src/lib.rs Stream implements src/lib.rs io.Read
            src/lib.rs Stream.read overrides src/lib.rs io.Read.read
        "#]],
    );
}
