//! Simplified histories, and blames along them.

use super::*;
use crate::trace::moves::{Depth, followed};
use git::{BlameAt, BlameRequest, Repo, RepoPath};
use testkit::TestEnv;

fn sha(letter: char) -> String {
    letter.to_string().repeat(40)
}

/// `b a` says that commit b has the parent a.
fn simplified(history: &[&str], kept: &str, head: char) -> Option<String> {
    let mut graph = Graph::default();
    for line in history {
        let mut names = line.split(' ').map(|name| sha(name.chars().next().unwrap_or('0')));
        let own = names.next().unwrap_or_default();
        graph.add(&own, &names.collect::<Vec<_>>().join(" "));
    }
    for letter in kept.chars().chain([head]) {
        let at = graph.find(&sha(letter)).unwrap();
        graph.is_kept[at as usize] = true;
    }
    let head = graph.find(&sha(head)).unwrap();
    let lines = graph.simplified(head, &graph.is_kept)?;
    let short =
        |line: &str| line.split(' ').map(|name| name[..1].to_owned()).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = lines.lines().map(short).collect();
    lines.sort();
    Some(lines.join(", "))
}

#[test]
fn commits_that_do_not_concern_the_file_are_left_out() {
    let history = ["a", "b a", "c b", "d c", "e d"];
    assert_eq!(simplified(&history, "ac", 'e').unwrap(), "a, c a, e c");
}

#[test]
fn a_merge_stays_where_both_of_its_sides_changed_the_file() {
    let history = ["a", "b a", "c a", "d b c", "e d"];
    assert_eq!(simplified(&history, "abc", 'e').unwrap(), "a, b a, c a, d b c, e d");
    // Only one side did: the merge says nothing new.
    assert_eq!(simplified(&history, "ab", 'e').unwrap(), "a, b a, e b");
}

#[test]
fn a_circle_is_refused() {
    assert_eq!(simplified(&["a b", "b a"], "", 'a'), None);
}

/// A repository in which lines of a file were moved within it, and copied from another one.
fn moved_and_copied() -> TestEnv {
    let env = TestEnv::new("lore");
    let _ = env.git(&["init", "-q", "-b", "main"]);
    let block = |name: &str| -> String {
        (0..8).map(|n| format!("{name} says that number {n} of its lines is here\n")).collect()
    };
    let commit = |files: &[(&str, String)]| {
        for (path, text) in files {
            env.write_file(path, text);
        }
        let _ = env.git(&["add", "."]);
        let _ = env.git(&["commit", "-q", "-m", "change"]);
    };
    let (first, second, other) = (block("first"), block("second"), block("other"));
    commit(&[("a.txt", format!("{first}{second}")), ("b.txt", format!("{other}end\n"))]);
    commit(&[("c.txt", "1\n".to_owned())]);
    let edited = first.replace("number 3", "the number 3");
    commit(&[("a.txt", format!("{edited}{second}"))]);
    commit(&[("c.txt", "2\n".to_owned()), ("b.txt", format!("{other}the end\n"))]);
    commit(&[("a.txt", format!("{second}-----\n{edited}"))]);
    commit(&[("c.txt", "3\n".to_owned())]);
    commit(&[("c.txt", "4\n".to_owned())]);
    // A copy is looked for in what the same commit changed.
    let all = format!("{second}-----\n{edited}-----\n{other}");
    commit(&[("a.txt", all), ("b.txt", format!("{other}at the end\n"))]);
    commit(&[("c.txt", "5\n".to_owned())]);
    env
}

fn ancestry_of(env: &TestEnv, path: &str) -> Ancestry {
    let mut graph = Graph::default();
    for line in env.git(&["log", "--format=%H %P"]).stdout.lines() {
        let (sha, parents) = line.split_once(' ').unwrap();
        graph.add(sha, parents);
    }
    let changing = env.git(&["log", "--format=%H", "--", path]).stdout;
    let touch = |sha: &str| PathTouch { sha: sha.to_owned(), is_modification: true };
    let touches = changing.lines().map(touch).collect();
    let head = env.git(&["rev-parse", "HEAD"]).stdout;
    Ancestry::new(graph, head.trim(), vec![path.to_owned()], touches).unwrap()
}

/// What is found behind lines along the history of their file is what git finds in all of it.
#[test]
fn moved_lines_are_followed_along_the_history_of_their_file() {
    let env = moved_and_copied();
    let ancestry = ancestry_of(&env, "a.txt");
    let along = ancestry.with_parents().unwrap();
    // Of nine commits the four that changed the file and the one that is asked; then the
    // three true parents, too.
    assert_eq!((ancestry.lines.lines().count(), along.lines().count()), (5, 8));
    let repo = Repo::open(&env.dir()).unwrap();
    let head = repo.head_commit().unwrap().unwrap();
    let mut n_moved = 0;
    for (first, last, is_from_file) in [(1, 8, true), (10, 17, true), (19, 26, false)] {
        let asked = BlameRequest {
            path: RepoPath::from("a.txt"),
            at: BlameAt::Commit(head),
            lines: Some((first, last)),
            follows_moves: false,
            ancestry: None,
        };
        let runs = repo.blame(&asked).unwrap().runs;
        let all = followed(&repo, &asked, &runs, Depth::All).unwrap();
        let short = followed(&repo, &asked, &runs, Depth::Longest(&ancestry)).unwrap();
        assert_eq!(short, all, "lines {first} to {last}");
        n_moved += all.iter().filter(|(_, mover)| mover.is_some()).count();
        let is_explained = all.iter().all(|(run, _)| ancestry.explains_move(run));
        assert_eq!(is_explained, is_from_file, "lines {first} to {last}");
    }
    assert!(n_moved >= 2, "{n_moved}");
}
