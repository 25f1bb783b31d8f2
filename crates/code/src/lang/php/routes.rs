//! Routes of Slim.

use crate::facts::{Builder, Expr, ExprId, Space};
use crate::routes::text::{CallText, calls, literal, split};
use crate::routes::{Groups, METHODS, Route, answering, argument, contains, joined};

/// `$app->get('/x', f)`, `$app->map(['GET'], '/x', f)`, below what `group` says.
pub(super) fn find(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["Slim\\"]) {
        return Vec::new();
    }
    let nests = calls(b, |name| name == "group");
    let wanted = calls(b, |name| {
        matches!(name, "map" | "any") || METHODS.iter().any(|it| it.eq_ignore_ascii_case(name))
    });
    let groups = Groups::default();
    let mut found = Vec::new();
    for call in &wanted {
        let nth = usize::from(call.name == "map");
        let Some(pattern) = call.pattern(nth).filter(|_| call.args.len() == nth + 2) else {
            continue;
        };
        let is_path = pattern.is_empty() || pattern.starts_with(['/', '[', '{']);
        if !is_path || call.receiver.is_empty() {
            continue;
        }
        let methods: Vec<String> = match call.name.as_str() {
            "any" => vec!["ANY".to_owned()],
            "map" => {
                let list = call.args[0].trim_matches(['[', ']']);
                split(list).into_iter().filter_map(literal).map(str::to_owned).collect()
            }
            name => vec![name.to_ascii_uppercase()],
        };
        let pattern = joined(&groups.prefix(b, call, &nests), &pattern);
        let named = controller(b, call.args[nth + 1], call);
        let handler = named.or_else(|| answering(b, argument(b, call, nth + 1)));
        for method in methods {
            let pattern = pattern.clone();
            found.push(Route { method, pattern, handler, ..Route::of(call) });
        }
    }
    found
}

/// `Home::class`, `Home::class . ':show'`, `[Home::class, 'show']`, `'Home:show'`.
fn controller(b: &mut Builder<'_>, text: &str, call: &CallText<'_>) -> Option<ExprId> {
    let text = text.trim_matches(['[', ']']).trim();
    let (class, method) = match text.split_once("::class") {
        Some((class, rest)) => (class, rest.trim_matches([' ', '.', ',', ':', '\'', '"'])),
        None => literal(text)?.split_once(':')?,
    };
    let class = class.rsplit('\\').next().unwrap_or(class).trim();
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if class.is_empty() || !is_name(class) || !is_name(method) {
        return None;
    }
    let class = b.name(class);
    let of = b.lookup_unwritten(class, Space::Value, call.span.start);
    let method = b.name(if method.is_empty() { "__invoke" } else { method });
    Some(b.expr(Expr::Member(of, method)))
}
