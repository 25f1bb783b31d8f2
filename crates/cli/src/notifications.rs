//! Telling people what rules match: each event once for each rule, not in quiet
//! hours, gathered where a digest is wanted. A message that certainly did not arrive is
//! sent again, less and less often, and given up in the end.

use crate::config::notifications::{Channel, NotifyRule};
use crate::ctx::Ctx;
use crate::interrupt::block_on;
use crate::ui::Ui;
use insight::alerts::{self, Alert, AlertRule};
use model::backoff::Backoff;
use model::text::one_line;
use model::{Error, ErrorCode, Result, Timestamp};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use store::Reader;
use store::notifications::{self as rows, NewNotification, Notification};

/// What stands for the beginning of a rule: nothing before it is told of.
const BEGINNING: &str = "rule added";
/// How far rules look back; what the daemon missed for longer is not news.
const LOOK_BACK: Duration = Duration::from_hours(7 * 24);
/// Told one by one; more become one message.
const MOST_AT_ONCE: usize = 5;
/// A message that did not arrive so often is given up; with `Backoff::QUEUE`, after an
/// hour or two.
const MOST_TRIES: u32 = 13;
/// For a program that shows or sends a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// Finds what is new and tells of it; how many messages went out.
pub fn tell(ctx: &Ctx, ui: &mut Ui) -> Result<usize> {
    let config = ctx.config(ui)?;
    let rules = config.notify_rules().to_vec();
    let (quiet, digest) = (config.quiet_hours(), config.digest());
    let path = ctx.writable_db(ui)?;
    let now = ctx.now();
    note(&path, &rules, now)?;
    if quiet.is_some_and(|hours| is_quiet(hours, now)) {
        return Ok(0);
    }
    let reader = Reader::open(&path)?;
    let untold = rows::untold(&reader, now)?;
    let is_gathering = |it: &Notification| !digest.is_zero() && now.since(it.happened_at) < digest;
    if !digest.is_zero() && untold.iter().all(is_gathering) {
        return Ok(0);
    }
    drop(reader);
    let mut n_told = 0;
    for rule in &rules {
        let of: Vec<&Notification> = untold.iter().filter(|it| it.rule == rule.rule.name).collect();
        n_told += tell_of(&path, rule, &of, now, !digest.is_zero())?;
    }
    Ok(n_told)
}

/// What the rules would have told of, without telling or keeping anything.
pub fn dry_run(reader: &Reader, rules: &[NotifyRule], since: Timestamp) -> Result<Vec<Alert>> {
    let rules: Vec<AlertRule> = rules.iter().map(|rule| rule.rule.clone()).collect();
    alerts::alerts(reader, &rules, since)
}

/// Keeps what is new. A rule begins when it is first seen.
fn note(path: &Path, rules: &[NotifyRule], now: Timestamp) -> Result<()> {
    let reader = Reader::open(path)?;
    let found = dry_run(&reader, rules, now.minus(LOOK_BACK))?;
    drop(reader);
    pipeline::notes::write(path, |tx| {
        rows::prune(tx, now)?;
        for rule in rules {
            let name = rule.rule.name.as_str();
            let beginning = NewNotification {
                rule: name,
                event: BEGINNING,
                title: BEGINNING,
                reference: None,
                happened_at: now,
            };
            if rows::note(tx, &beginning, now)? {
                rows::mark_told(tx, name, BEGINNING, now)?;
            }
            let began = rows::happened_at(tx, name, BEGINNING)?.unwrap_or(now);
            // Commits have whole seconds.
            let began = Timestamp::from_millis(began.as_millis() / 1000 * 1000);
            for alert in found.iter().filter(|it| it.rule == name && it.happened_at >= began) {
                let new = NewNotification {
                    rule: name,
                    event: &alert.event,
                    title: &alert.title,
                    reference: alert.reference.as_deref(),
                    happened_at: alert.happened_at,
                };
                rows::note(tx, &new, now)?;
            }
        }
        Ok(())
    })
}

/// Tells of these: one by one, or all in one message.
fn tell_of(
    path: &Path,
    rule: &NotifyRule,
    of: &[&Notification],
    now: Timestamp,
    is_digest: bool,
) -> Result<usize> {
    // Taken before it is told: one that dies over it is not told twice.
    let taken = pipeline::notes::write(path, |tx| {
        let mut taken = Vec::new();
        for it in of {
            if rows::take(tx, it.id, now)? {
                taken.push(*it);
            }
        }
        Ok(taken)
    })?;
    if taken.is_empty() {
        return Ok(0);
    }
    let reader = Reader::open(path)?;
    let messages: Vec<(Message, &[&Notification])> = if is_digest || taken.len() > MOST_AT_ONCE {
        vec![(Message::digest(&rule.rule.name, &taken), &taken)]
    } else {
        let each = taken.chunks(1).map(|one| Ok((Message::of(&reader, one[0])?, one)));
        each.collect::<Result<_>>()?
    };
    drop(reader);
    let mut n_told = 0;
    for (message, of) in &messages {
        let sent = send(&rule.to, message);
        n_told += usize::from(sent.is_ok());
        pipeline::notes::write(path, |tx| {
            of.iter().try_for_each(|it| match &sent {
                Ok(()) if it.failures == 0 => Ok(()),
                Ok(()) => rows::arrived(tx, it.id),
                Err(lost) => rows::failed(tx, it.id, &lost.why, lost.again_at(it, now)),
            })
        })?;
    }
    Ok(n_told)
}

/// A message that was not delivered, or of which nobody knows whether it was.
struct LostMessage {
    why: String,
    /// Nothing arrived: it can be sent again without being told twice.
    is_certain: bool,
}

impl LostMessage {
    fn of(error: &Error, is_certain: bool) -> Self {
        LostMessage { why: one_line(&error.to_string(), 200), is_certain }
    }

    /// When it is sent again; none where it is given up.
    fn again_at(&self, it: &Notification, now: Timestamp) -> Option<Timestamp> {
        let failures = it.failures + 1;
        let wait = Backoff::QUEUE.delay(failures, it.id.unsigned_abs());
        (self.is_certain && failures < MOST_TRIES).then(|| now.plus(wait))
    }
}

struct Message {
    rule: String,
    title: String,
    body: String,
}

impl Message {
    fn of(reader: &Reader, it: &Notification) -> Result<Self> {
        let body = it.reference.as_deref().map(|reference| readable(reader, reference));
        Ok(Message {
            rule: it.rule.clone(),
            title: it.title.clone(),
            body: body.transpose()?.unwrap_or_default(),
        })
    }

    fn digest(rule: &str, all: &[&Notification]) -> Self {
        let lines: Vec<String> = all.iter().map(|it| it.title.clone()).collect();
        Message {
            rule: rule.to_owned(),
            title: format!("{rule}: {} events", all.len()),
            body: lines.join("\n"),
        }
    }
}

/// `shop@06c5e2e2ab12 Ada Larsen: Charge once`; what is no commit as it is.
fn readable(reader: &Reader, reference: &str) -> Result<String> {
    let Some(commit) = store::alerts::commit(reader, reference)? else {
        return Ok(reference.to_owned());
    };
    let Some((repo, sha)) = reference.rsplit_once('@') else { return Ok(reference.to_owned()) };
    let labels = store::repos::labels(reader)?;
    let repo = labels.get(repo).map_or(repo, String::as_str);
    let author = commit.author.split(" <").next().unwrap_or_default();
    let sha = sha.get(..12).unwrap_or(sha);
    Ok(format!("{repo}@{sha} {author}: {}", one_line(&commit.title, 200)))
}

fn send(to: &Channel, message: &Message) -> std::result::Result<(), LostMessage> {
    match to {
        Channel::Inbox => Ok(()),
        Channel::Desktop => {
            let words = ["--app-name=lore", "--", &message.title, &message.body];
            run("notify-send", &words.map(str::to_owned))
        }
        Channel::Command(words) => {
            let fill = |word: &String| {
                word.replace("{title}", &message.title)
                    .replace("{body}", &message.body)
                    .replace("{rule}", &message.rule)
            };
            let words: Vec<String> = words.iter().map(fill).collect();
            match words.split_first() {
                Some((program, rest)) => run(program, rest),
                None => Ok(()),
            }
        }
        Channel::Webhook(url) => {
            let body = serde_json::json!({
                "rule": message.rule, "title": message.title, "body": message.body,
            });
            block_on(forge::post_json(url, &body)).map_err(|error| {
                let is_certain = error.code() == ErrorCode::NetworkError;
                LostMessage::of(&error, is_certain)
            })
        }
    }
}

/// A program with its arguments; no shell reads them.
fn run(program: &str, words: &[String]) -> std::result::Result<(), LostMessage> {
    let name = one_line(program, 60);
    let lost = |why: &str, is_certain| LostMessage { why: format!("`{name}` {why}"), is_certain };
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| lost(&format!("cannot be run: {error}"), true))?;
    let look = Duration::from_millis(20);
    for _ in 0..PATIENCE.as_millis() / look.as_millis() {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(lost(&format!("ended with {status}"), true)),
            _ => std::thread::sleep(look),
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    // It may have told already.
    Err(lost("did not end in time", false))
}

/// Whether an hour of UTC lies between two others, which may be over midnight.
fn is_quiet((from, to): (u8, u8), now: Timestamp) -> bool {
    let hour = (now.as_millis().div_euclid(3_600_000).rem_euclid(24)) as u8;
    if from <= to { (from..to).contains(&hour) } else { hour >= from || hour < to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_arrive_is_sent_again_until_it_is_given_up() {
        let now = Timestamp::from_millis(1_700_000_000_000);
        let failed = |failures| Notification {
            id: 3,
            rule: "api".to_owned(),
            event: "x".to_owned(),
            title: "x".to_owned(),
            reference: None,
            happened_at: now,
            told_at: None,
            failure: None,
            failures,
            again_at: None,
        };
        let lost = |is_certain| LostMessage { why: "refused".to_owned(), is_certain };
        let waits: Vec<u64> = (0..MOST_TRIES - 1)
            .map(|n| lost(true).again_at(&failed(n), now).unwrap().since(now).as_secs())
            .collect();
        assert!(waits.is_sorted() && waits[0] <= 1 && *waits.last().unwrap() > 1800, "{waits:?}");
        assert_eq!(lost(true).again_at(&failed(MOST_TRIES - 1), now), None, "given up");
        assert_eq!(lost(false).again_at(&failed(0), now), None, "it may have arrived");
    }

    #[test]
    fn quiet_hours_may_span_midnight() {
        let at = |hour: i64| Timestamp::from_millis(hour * 3_600_000);
        for (hours, hour, expected) in [
            ((22, 7), 23, true),
            ((22, 7), 3, true),
            ((22, 7), 7, false),
            ((22, 7), 12, false),
            ((9, 17), 9, true),
            ((9, 17), 17, false),
            ((5, 5), 5, false),
        ] {
            assert_eq!(is_quiet(hours, at(hour)), expected, "{hours:?} at {hour}");
        }
    }
}
