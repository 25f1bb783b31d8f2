//! Pages and the headers that lead from one to the next, quirks included.

use super::context::Context;
use super::reply::Reply;
use super::request::{Request, encode};
use serde::Serialize;

/// Larger `per_page` values are silently clamped.
const MAX_PER_PAGE: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub page: u64,
    pub per_page: u64,
}

impl PageRequest {
    pub fn of(request: &Request) -> Result<PageRequest, Reply> {
        let positive = |name: &str, default: u64| match request.params.number(name)? {
            None => Ok(default),
            Some(number) if number > 0 => Ok(number as u64),
            Some(_) => Err(Reply::bad_param(name)),
        };
        let per_page = positive("per_page", 20)?.min(MAX_PER_PAGE);
        Ok(PageRequest { page: positive("page", 1)?, per_page })
    }
}

/// The rows of one page and what is known about the rest.
#[derive(Debug)]
pub struct Page<T> {
    pub request: PageRequest,
    pub items: Vec<T>,
    pub has_next: bool,
    /// Of all rows, not counted beyond the limit.
    pub total: usize,
}

impl<T> Page<T> {
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Page<U> {
        self.filter_map(|item| Some(f(item)))
    }

    /// Filtering after paging leaves the page short, as in GitLab.
    pub fn filter_map<U>(self, f: impl FnMut(T) -> Option<U>) -> Page<U> {
        Page {
            request: self.request,
            items: self.items.into_iter().filter_map(f).collect(),
            has_next: self.has_next,
            total: self.total,
        }
    }
}

/// Cuts one page out of all rows. `total` is asked for at most one row more
/// than the limit above which GitLab stops counting.
pub fn cut<T>(
    context: &Context<'_>,
    request: &Request,
    rows: impl Iterator<Item = T>,
    total: impl FnOnce(usize) -> usize,
) -> Result<Page<T>, Reply> {
    let asked = PageRequest::of(request)?;
    let (offset, places) = places(context, asked);
    let mut rows = rows.skip(offset as usize).peekable();
    let mut items = Vec::new();
    while items.len() < places as usize {
        match rows.next() {
            Some(row) => items.push(row),
            None => break,
        }
    }
    let has_next = rows.peek().is_some();
    let total = total(context.options.totals_limit + 1);
    Ok(Page { request: asked, items, has_next, total })
}

/// One page of rows that are all at hand.
pub fn cut_slice<'a, T>(
    context: &Context<'_>,
    request: &Request,
    rows: &'a [T],
) -> Result<Page<&'a T>, Reply> {
    cut(context, request, rows.iter(), |_| rows.len())
}

/// Where a page starts and how many items it can hold. With short pages some
/// places are taken by rows the viewer may not see.
fn places(context: &Context<'_>, asked: PageRequest) -> (u64, u64) {
    match context.short_pages {
        None => ((asked.page - 1).saturating_mul(asked.per_page), asked.per_page),
        Some(plan) => {
            let before = (1..asked.page).map(|page| plan.places(page, asked.per_page)).sum();
            (before, plan.places(asked.page, asked.per_page))
        }
    }
}

/// The page as JSON with GitLab's offset headers.
pub fn offset_reply<T: Serialize>(
    context: &Context<'_>,
    request: &Request,
    page: &Page<T>,
) -> Reply {
    let PageRequest { page: number, per_page } = page.request;
    let knows_total = page.total <= context.options.totals_limit;
    let n_pages = n_pages(context, page);
    let next = page.has_next.then_some(number + 1);
    // Beyond the end GitLab names neither neighbour.
    let is_beyond = page.items.is_empty() && !page.has_next;
    let prev = (number > 1 && !is_beyond).then(|| number - 1);
    let mut reply = Reply::ok(&page.items)
        .header("X-Page", number.to_string())
        .header("X-Per-Page", per_page.to_string())
        .header("X-Next-Page", next.map_or(String::new(), |page| page.to_string()))
        .header("X-Prev-Page", prev.map_or(String::new(), |page| page.to_string()));
    if knows_total {
        reply = reply
            .header("X-Total", page.total.to_string())
            .header("X-Total-Pages", n_pages.to_string());
    }
    let mut links = Vec::new();
    let mut link = |page: u64, rel: &str| {
        let extra = [("page", page.to_string()), ("per_page", per_page.to_string())];
        links.push(format!("<{}>; rel=\"{rel}\"", url(context, request, &extra)));
    };
    if let Some(prev) = prev {
        link(prev, "prev");
    }
    if let Some(next) = next {
        link(next, "next");
    }
    link(1, "first");
    if knows_total {
        link(n_pages, "last");
    }
    reply.header("Link", links.join(", "))
}

/// At least one, also for an empty list.
fn n_pages<T>(context: &Context<'_>, page: &Page<T>) -> u64 {
    let (total, per_page) = (page.total as u64, page.request.per_page);
    match context.short_pages {
        None => total.div_ceil(per_page).max(1),
        Some(plan) => {
            let mut held = 0;
            let mut n = 0;
            // A plan of nothing but empty pages would never end.
            while held < total && n < 1_000_000 {
                n += 1;
                held += plan.places(n, per_page);
            }
            n.max(1)
        }
    }
}

/// The page as JSON with cursor headers: only `Link`, and only while more follow.
pub fn keyset_reply<T: Serialize>(
    context: &Context<'_>,
    request: &Request,
    items: &[T],
    next_cursor: Option<String>,
) -> Reply {
    let reply = Reply::ok(&items);
    match next_cursor {
        None => reply,
        Some(cursor) => {
            let next = url(context, request, &[("cursor", cursor.clone())]);
            reply.header("Link", format!("<{next}>; rel=\"next\"")).header("X-Next-Cursor", cursor)
        }
    }
}

/// The request's own address with some parameters replaced: all of them in
/// alphabetical order, with the parameters of the path among them, and at the
/// configured host.
fn url(context: &Context<'_>, request: &Request, replaced: &[(&str, String)]) -> String {
    let mut params: Vec<(&str, &str)> = request
        .params
        .0
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| !replaced.iter().any(|(replaced, _)| replaced == name))
        .filter(|(name, _)| *name != "private_token")
        .collect();
    params.extend(replaced.iter().map(|(name, value)| (*name, value.as_str())));
    match request.segments.as_slice() {
        [first, id, ..] if first == "projects" => params.push(("id", id)),
        _ => {}
    }
    match request.segments.as_slice() {
        [_, _, _, iid, last] if last == "discussions" || last == "notes" => {
            params.push(("noteable_id", iid));
        }
        [_, _, _, iid, last] if last.starts_with("resource_") => params.push(("eventable_id", iid)),
        [_, _, kind, iid, _] if kind == "merge_requests" => params.push(("merge_request_iid", iid)),
        [_, _, kind, iid, _] if kind == "issues" => params.push(("issue_iid", iid)),
        _ => {}
    }
    params.sort_by_key(|(name, _)| *name);
    let query: Vec<String> =
        params.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    format!("{}/api/v4/{}?{}", context.link_base, request.raw_segments.join("/"), query.join("&"))
}
