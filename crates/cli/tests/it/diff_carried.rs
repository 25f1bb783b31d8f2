//! What went along with a class or a file that is called otherwise now is neither new
//! nor lost.

use crate::two_versions::{history, lore, repository};
use testkit::TestEnv;

fn renamed(before: &[(&str, &str)], after: &[(&str, &str)], gone: &[&str]) -> TestEnv {
    let env = repository(&history(before, after, gone));
    let _ = lore(&env, &["index", "-q"]);
    env
}

/// Exit code 0 where no edge over a border is new.
fn told(env: &TestEnv) -> String {
    let args = ["diff", "HEAD~1", "HEAD", "--fail-on", "new-cross-package-edges"];
    env.lore_in(&env.dir().join("repo"), &args, "").success().stdout
}

const CHAOS: &str = "\
from core.clock import now, Random


class Monkey:
    def __init__(self, rate):
        self.rate = rate
        self.random = Random()

    def is_enabled(self):
        return self.random.next() < self.rate and now() > 0

    def inject(self):
        if self.is_enabled():
            raise ValueError(now())
";

const CLOCK: &str = "def now():\n    return 1\n\n\nclass Random:\n    def next(self):\n        \
    return 0.5\n";

const USER: &str = "from chaos.monkey import Monkey\n\n\ndef run():\n    monkey = Monkey(0.1)\n    \
    monkey.inject()\n    return monkey.is_enabled()\n";

/// Polly 54becabd: a class renamed with its file had \"59 retargeted\" edges, and every
/// member of it lost its users and got as many new ones.
#[test]
fn members_of_a_renamed_class_keep_their_users_and_edges() {
    let (chaos, user) = (CHAOS.replace("Monkey", "Chaos"), USER.replace("Monkey", "Chaos"));
    let env = renamed(
        &[("core/clock.py", CLOCK), ("chaos/monkey.py", CHAOS), ("app/user.py", USER)],
        &[("chaos/chaos.py", &chaos), ("app/user.py", &user.replace(".monkey ", ".chaos "))],
        &["chaos/monkey.py"],
    );
    let told = told(&env);
    assert!(told.contains("Monkey is now Chaos"), "{told}");
    for word in ["edges:", "retargeted", "(new:", "lost:"] {
        assert!(!told.contains(word), "{word}: {told}");
    }
}

/// fd 3dc61b5: a file that only lies elsewhere had \"5 retargeted\" edges.
#[test]
fn symbols_of_a_moved_file_keep_their_users_and_edges() {
    let user = USER.replace("chaos.monkey", "chaos.ape").replace("0.1", "0.2");
    let env = renamed(
        &[("core/clock.py", CLOCK), ("chaos/monkey.py", CHAOS), ("app/user.py", USER)],
        &[("chaos/ape.py", CHAOS), ("app/user.py", &user)],
        &["chaos/monkey.py"],
    );
    let told = told(&env);
    assert!(told.contains("of chaos/monkey.py are now in chaos/ape.py"), "{told}");
    for word in ["edges:", "(new:", "lost:"] {
        assert!(!told.contains(word), "{word}: {told}");
    }
}
