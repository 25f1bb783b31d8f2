//! A simulated GitLab on a loopback port, for trying clients by hand.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use clap::Parser;
use sim::fault::FaultBurst;
use sim::server::{DateHeader, RateLimit, Release, Token};
use sim::{Corpus, FaultPlan, Options, Server, World};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Serve a simulated GitLab on 127.0.0.1
#[derive(Debug, Parser)]
#[command(name = "gitlab-sim")]
struct Args {
    /// Port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Tell the history of this scenario file
    #[arg(long, value_name = "FILE", conflicts_with = "corpus")]
    scenario: Option<PathBuf>,
    /// Generate so many issues and merge requests
    #[arg(long, value_name = "ISSUES,MRS", value_parser = pair)]
    corpus: Option<(u64, u64)>,
    /// Projects the generated history is spread over
    #[arg(long, default_value_t = 1)]
    projects: usize,
    /// Seed of the generated history and of the faults
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Make so many random changes before serving
    #[arg(long, default_value_t = 0)]
    changes: usize,
    /// Present the server as this release
    #[arg(long, default_value = "18.5", value_parser = ["13.0", "18.2", "18.5", "19.0"])]
    release: String,
    /// Scheme and host in links, as GitLab's external URL
    #[arg(long, value_name = "URL")]
    link_base: Option<String>,
    /// Say the real time in the `Date` header
    #[arg(long)]
    real_date: bool,
    /// Allow so many requests a minute, with `RateLimit-*` headers
    #[arg(long, value_name = "REQUESTS")]
    rate_limit: Option<u64>,
    #[command(flatten)]
    faults: FaultArgs,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Faults (shares between 0 and 1)")]
struct FaultArgs {
    /// A bit of everything, this share of all requests
    #[arg(long, default_value_t = 0.0)]
    stormy: f64,
    /// Only for requests whose path contains this
    #[arg(long, value_name = "TEXT")]
    faults_on: Option<String>,
    #[arg(long, default_value_t = 0.0)]
    p500: f64,
    #[arg(long, default_value_t = 0.0)]
    p502: f64,
    #[arg(long, default_value_t = 0.0)]
    p503: f64,
    /// Throttled with `Retry-After`
    #[arg(long, default_value_t = 0.0)]
    p429: f64,
    /// Refused by an endpoint's limiter, without `Retry-After`
    #[arg(long, default_value_t = 0.0)]
    p429_endpoint: f64,
    #[arg(long, default_value_t = 1, value_name = "SECONDS")]
    retry_after: u32,
    /// After so many requests, so many are throttled
    #[arg(long, value_name = "EVERY,LENGTH", value_parser = pair)]
    storm: Option<(u64, u64)>,
    /// Reset the connection, before or in the body
    #[arg(long, default_value_t = 0.0)]
    p_reset: f64,
    /// Cut the JSON off, or close the connection early
    #[arg(long, default_value_t = 0.0)]
    p_truncate: f64,
    #[arg(long, default_value_t = 0.0)]
    p_slow: f64,
    #[arg(long, default_value_t = 200, value_name = "MILLISECONDS")]
    slow: u64,
    /// Leave out pagination headers
    #[arg(long, default_value_t = 0.0)]
    p_drop_headers: f64,
    /// Short and empty pages in the middle of lists
    #[arg(long, default_value_t = 0.0)]
    p_short_page: f64,
    /// Fail the first requests to every URL
    #[arg(long, default_value_t = 0, value_name = "TIMES")]
    fail_first: u32,
    /// Change a listed item after every so many list requests
    #[arg(long, value_name = "REQUESTS")]
    mutate_every: Option<u64>,
    /// Delete a listed item after every so many list requests
    #[arg(long, value_name = "REQUESTS")]
    delete_every: Option<u64>,
}

fn pair(text: &str) -> Result<(u64, u64), String> {
    let (first, second) = text.split_once(',').ok_or("write two numbers, as in 1000,500")?;
    let number = |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is no number"));
    Ok((number(first)?, number(second)?))
}

impl FaultArgs {
    fn plan(self, seed: u64) -> FaultPlan {
        let base = if self.stormy > 0.0 {
            FaultPlan::stormy(seed, self.stormy)
        } else {
            FaultPlan { seed, ..FaultPlan::default() }
        };
        FaultPlan {
            path_contains: self.faults_on,
            p500: base.p500 + self.p500,
            p502: base.p502 + self.p502,
            p503: base.p503 + self.p503,
            p429_throttle: base.p429_throttle + self.p429,
            p429_endpoint: base.p429_endpoint + self.p429_endpoint,
            retry_after_seconds: self.retry_after,
            storm: self.storm.map(|(every, length)| FaultBurst { every, length }),
            p_reset_before: base.p_reset_before + self.p_reset / 2.0,
            p_reset_mid_body: base.p_reset_mid_body + self.p_reset / 2.0,
            p_truncate_json: base.p_truncate_json + self.p_truncate / 2.0,
            p_short_read: base.p_short_read + self.p_truncate / 2.0,
            p_slow: self.p_slow,
            slow: Duration::from_millis(self.slow),
            p_drop_both: self.p_drop_headers,
            p_short_page: base.p_short_page + self.p_short_page,
            p_empty_page: base.p_empty_page + self.p_short_page / 5.0,
            fail_first_n: self.fail_first,
            mutate_every: self.mutate_every,
            delete_every: self.delete_every,
            ..base
        }
    }
}

fn world(args: &Args) -> Result<World, String> {
    let mut world = match (&args.scenario, args.corpus) {
        (Some(path), _) => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("cannot read {name}: {error}"))?;
            sim::scenario::load(&text, &name).map_err(|error| error.to_string())?
        }
        (None, Some((issues, merge_requests))) => {
            let mut corpus = Corpus::new(args.seed, issues as usize, merge_requests as usize);
            corpus.projects = args.projects;
            corpus.build().map_err(|error| error.to_string())?
        }
        (None, None) => World::new(),
    };
    // A world with nothing in it would be a dull thing to look at.
    let is_empty = world.projects().next().is_none();
    let n_changes = if is_empty { args.changes.max(200) } else { args.changes };
    let mut rng = fastrand::Rng::with_seed(args.seed);
    for _ in 0..n_changes {
        sim::mutate::step(&mut world, &mut rng);
    }
    Ok(world)
}

fn main() -> ExitCode {
    let args = Args::parse();
    let world = match world(&args) {
        Ok(world) => world,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let options = Options {
        port: args.port,
        link_base: args.link_base,
        release: match args.release.as_str() {
            "13.0" => Release::v13_0(),
            "18.2" => Release::v18_2(),
            "19.0" => Release::v19_0(),
            _ => Release::default(),
        },
        date: if args.real_date { DateHeader::Real } else { DateHeader::Virtual },
        rate_limit: args.rate_limit.map(|limit| RateLimit {
            limit,
            enforce: true,
            retry_after: true,
        }),
        faults: args.faults.plan(args.seed),
        ..Options::default()
    };
    let projects: Vec<String> = world.projects().map(|project| project.path.clone()).collect();
    match Server::start(world, options) {
        Ok(server) => {
            println!("{}", server.base_url());
            println!("token: {}", Token::VALID);
            for path in projects {
                println!("project: {path}");
            }
            server.wait();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: cannot listen: {error}");
            ExitCode::FAILURE
        }
    }
}
