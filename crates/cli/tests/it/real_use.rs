//! What people met who tried lore on repositories of others, command by command.

use crate::{BINARY, lore};
use testkit::{Site, TestEnv};

/// A repository with these files, committed once and indexed; its report.
fn indexed(env: &TestEnv, files: &[(&str, &str)]) -> String {
    for (path, text) in files {
        let _path = env.write_file(env.dir().join("it").join(path), text);
    }
    let at = env.dir().join("it").display().to_string();
    for words in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-qm", "Begin"]] {
        let _done = env.git(&[&["-C", &at][..], words].concat()).success();
    }
    env.lore_in(&env.dir().join("it"), &["index", "-q"], "").success().stdout
}

fn asked(env: &TestEnv, words: &[&str]) -> String {
    env.lore_in(&env.dir().join("it"), words, "").success().stdout
}

#[test]
fn what_a_query_names_comes_before_what_repeats_its_number() {
    let spam: String = (3..9)
        .map(|n| {
            format!(
                "issue #{n} \"#2 #2 #2\" by eve at 2024-03-0{n}T09:00\n  | #2 #2 #2 cheap #2\n\
                 mr !{n} \"About #2\" by eve at 2024-03-0{n}T10:00 from b{n}\n  | #2 and #2.\n"
            )
        })
        .collect();
    let history = format!(
        "project harbor/tide \"Tide\"\nissue #2 \"Tables are slow\" by ada at 2024-01-09T10:15\n  \
         | Reading harmonics takes minutes.\n{spam}"
    );
    let site = Site::scenario(BINARY, &history);
    site.sync();
    for query in ["#2", "harbor/tide#2", "#2 cheap"] {
        let found = site.env.lore(&["search", query]).success();
        let first = found.rows().next().unwrap_or_default().to_owned();
        assert!(first.starts_with("harbor/tide#2\tissue\tTables are slow"), "{query}: {found}");
    }
}

#[test]
fn a_long_pattern_of_a_route_is_shown_in_full() {
    let mut env = lore();
    let pattern = "/harbours/{harbour}/berths/{berth}/reservations/{reservation}";
    let code = format!(
        "package main\n\nimport \"net/http\"\n\nfunc main() {{\n\t\
         http.HandleFunc(\"GET {pattern}\", showTheReservationOfABerthInAHarbour)\n}}\n\nfunc \
         showTheReservationOfABerthInAHarbour(w http.ResponseWriter, r *http.Request) {{}}\n"
    );
    let _report = indexed(&env, &[("go.mod", "module m\n"), ("main.go", &code)]);
    env.set_var("LORE_FORCE_TTY", "110").set_var("NO_COLOR", "1");
    let routes = asked(&env, &["routes"]);
    assert!(routes.contains(pattern), "{routes}");
    assert!(routes.contains("main.go:6"), "{routes}");
}

#[test]
fn a_report_of_reading_is_true() {
    let env = lore();
    let chart = "{{- if .Values.enabled }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  \
                 name: tide\n  labels:\n    {{- include \"app.labels\" . | nindent 4 }}\nspec:\n  \
                 template:\n    spec:\n      containers:\n        - name: web\n          image: \
                 \"{{ .Values.image }}\"\n{{- end }}\n";
    let names: String = (0..400).map(|n| format!("  | 'X-Header-{n}'\n")).collect();
    let types = format!("export type Header =\n{names}\nexport const after = 1\n");
    let report = indexed(
        &env,
        &[
            ("charts/app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 0.1.0\n"),
            ("charts/app/templates/deploy.yaml", chart),
            ("src/headers.ts", &types),
            ("broken.py", "x = 1\n\n\ndef broken(:\n    pass\n\n\ndef fine():\n    return 1\n"),
        ],
    );
    let said: Vec<&str> = report.lines().filter(|line| line.starts_with('!')).collect();
    assert_eq!(said, ["! broken.py: read in part: line 4 is not understood"], "{report}");
    for name in ["fine", "Header", "after", "tide"] {
        let found = asked(&env, &["symbol", name]);
        assert!(found.lines().count() > 1, "{name}: {found}");
    }
}

#[test]
fn an_impact_is_of_the_asked_name_alone() {
    let env = lore();
    let code = "export const cors = (options) => {\n  const findAllowed = (origin) => \
                options.check(origin)\n  return async (c, next) => {\n    const set = (key, value) \
                => {\n      c.res.headers.set(key, value)\n    }\n    set('a', \
                findAllowed(c.req.header('origin')))\n    await next()\n  }\n}\n";
    let user = "import { cors } from './cors'\n\nexport function serve(app) {\n  \
                app.use(cors({}))\n}\n";
    let _report = indexed(&env, &[("src/cors.ts", code), ("src/app.ts", user)]);
    let impact = asked(&env, &["impact", "cors"]);
    assert!(impact.contains("serve"), "{impact}");
    for inner in ["headers.set", "options.check", "not resolved", "unresolved"] {
        assert!(!impact.contains(inner), "{impact}");
    }
}

#[test]
fn the_reason_of_a_line_has_both_dates_the_change_and_its_ticket() {
    let mut env = lore();
    let before = "class Tide:\n    def __and__(self, other):\n        return self.clone()\n";
    let _report = indexed(&env, &[("tide.py", before)]);
    let _path = env.write_file(env.dir().join("it/tide.py"), &before.replace("clone", "chain"));
    let at = env.dir().join("it").display().to_string();
    env.set_var("GIT_COMMITTER_DATE", "2024-05-20T10:00:00Z");
    let date = "--date=2024-02-01T09:00:00Z";
    let message = "Refs #41 -- Chain tides\n\nBecause a clone lost the gauge.";
    let _done = env.git(&["-C", &at, "commit", "-qam", message, date]).success();
    let _read = asked(&env, &["index", "-q"]);
    let why = asked(&env, &["why", "tide.py:3"]);
    for part in [
        "2024-02-01T09:00:00.000Z",
        "committed 2024-05-20T10:00:00.000Z",
        "#41",
        "-         return self.clone()",
        "+         return self.chain()",
        "Because a clone lost the gauge.",
        "operators and protocols that run it are not seen",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[test]
fn views_in_folders_without_init_answer_routes() {
    let env = lore();
    let _report = indexed(
        &env,
        &[
            (
                "shop/urls.py",
                "from django.urls import path\nfrom shop.api import views\n\nurlpatterns = \
                 [path('carts/', views.carts)]\n",
            ),
            ("shop/api/views.py", "def carts(request):\n    return 1\n"),
            (
                "go/main.go",
                "package main\n\nimport \"net/http\"\n\ntype H struct{}\n\nfunc (h H) \
                 ServeHTTP(w http.ResponseWriter, r *http.Request) {}\n\nfunc main() \
                 {\n\thttp.Handle(\"/health\", H{})\n\thttp.HandleFunc(\"/inline\", func(w \
                 http.ResponseWriter, r *http.Request) {})\n}\n",
            ),
        ],
    );
    let routes = asked(&env, &["routes"]);
    for (pattern, handler) in
        [("/carts/", "carts"), ("/health", "H.ServeHTTP"), ("/inline", "(inline function)")]
    {
        let row = routes.lines().find(|row| row.contains(pattern)).unwrap_or_default();
        let answers = row.split('\t').nth(2).unwrap_or_default();
        assert!(answers.ends_with(handler), "{pattern}: {routes}");
    }
}

#[test]
fn the_kept_demo_can_be_searched_by_meaning() {
    let env = lore();
    let _kept = env.lore(&["demo", "--keep", "playground", "-q"]).success();
    let clone = env.dir().join("playground/orchard/frostline");
    let stats = env.lore_in(&clone, &["stats"], "").success().stdout;
    let row = stats.lines().find(|row| row.starts_with("embedded documents")).unwrap_or_default();
    assert!(row.contains("100 % of all, 0 pending"), "{stats}");
}

#[test]
fn of_members_that_nothing_calls_the_one_of_the_type_in_use_is_meant() {
    let env = lore();
    let old = "def check(): pass\ndef note(): pass\n\nclass Meta(type):\n    \
               def __new__(cls, *given):\n        check()\n        note()\n        \
               return type.__new__(cls, *given)\n";
    let new = "class Meta(type):\n    def __new__(cls, *given):\n        \
               return type.__new__(cls, *given)\n\nclass Boat(metaclass=Meta):\n    pass\n\n\
               class Buoy(metaclass=Meta):\n    pass\n";
    let _report = indexed(&env, &[("old.py", old), ("shapes.py", new)]);
    for words in [&["symbol", "Meta.__new__"][..], &["symbol", "__new__"]] {
        let said = asked(&env, words);
        let row = said.lines().find(|line| line.starts_with("method")).unwrap_or_default();
        assert!(row.contains("shapes.py:2"), "{said}");
    }
}

#[test]
fn a_type_and_its_member_named_apart_mean_the_member() {
    let env = lore();
    let boats = "class Boat:\n    def send(self):\n        return 1\n\n\nclass Buoy:\n    \
                 def send(self):\n        return 2\n\n\ndef launch(boat: Boat):\n    \
                 boat.send()\n\n\ndef light(buoy: Buoy):\n    buoy.send()\n";
    let _report = indexed(&env, &[("boats.py", boats)]);
    let said = asked(&env, &["who calls the send method of Buoy?"]);
    assert!(said.contains("boats.light") && !said.contains("boats.launch"), "{said}");
}
