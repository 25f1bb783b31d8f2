//! Changing one list or one value in a JSON file that belongs to somebody else:
//! everything else stays as it was, order and comments included.
//!
//! Reads JSON with comments and trailing commas, as editors write settings.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};

/// What an edit makes, or why it cannot be made.
type Edit<T> = Result<T, String>;

/// Deeper nesting is no file of settings.
const DEEPEST: usize = 100;

/// Elements of the list at a path, as text; none when the path is not there.
pub fn elements(text: &str, path: &[&str]) -> Edit<Vec<String>> {
    let list = list_at(text, path)?;
    Ok(list.map_or_else(Vec::new, |list| list.elements().iter().map(CstNode::to_string).collect()))
}

/// The text with an element at the end of the list at a path; objects and the
/// list are made where they are missing.
pub fn append(text: &str, path: &[&str], element: &str) -> Edit<String> {
    let root = parse(text)?;
    let element = input(element)?;
    let (last, parents) = path.split_last().ok_or("no path is given")?;
    let object = object_or_create(&root, parents)?;
    let list = object.array_value_or_create(last).ok_or("a list was expected")?;
    list.ensure_multiline();
    list.append(element);
    Ok(written(text, &root))
}

/// The text without one element of the list at a path.
pub fn remove(text: &str, path: &[&str], index: usize) -> Edit<String> {
    let root = parse(text)?;
    let list = list_in(&root, path)?.ok_or("there is no such list")?;
    let element = list.elements().into_iter().nth(index).ok_or("there is no such element")?;
    element.remove();
    Ok(written(text, &root))
}

/// The text without the property at a path.
pub fn remove_key(text: &str, path: &[&str]) -> Edit<String> {
    let root = parse(text)?;
    let (last, parents) = path.split_last().ok_or("no path is given")?;
    if let Some(property) = object_in(&root, parents)?.and_then(|object| object.get(last)) {
        property.remove();
    }
    Ok(written(text, &root))
}

/// Whether the object at a path is there and holds nothing.
pub fn is_empty_object(text: &str, path: &[&str]) -> Edit<bool> {
    let root = parse(text)?;
    Ok(object_in(&root, path)?.is_some_and(|object| object.properties().is_empty()))
}

/// Whether there is something at a path.
pub fn has(text: &str, path: &[&str]) -> Edit<bool> {
    let root = parse(text)?;
    let (last, parents) = path.split_last().ok_or("no path is given")?;
    Ok(object_in(&root, parents)?.is_some_and(|object| object.get(last).is_some()))
}

/// The text with a value at a path; objects are made where they are missing.
/// None when it has that value already.
pub fn set(text: &str, path: &[&str], new: &str) -> Edit<Option<String>> {
    let root = parse(text)?;
    let (last, parents) = path.split_last().ok_or("no path is given")?;
    let object = object_or_create(&root, parents)?;
    match object.get(last) {
        Some(property) => {
            let old = property.value().map(|value| value.to_string()).unwrap_or_default();
            let plain = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
            if plain(&old).is_some_and(|old| Some(old) == plain(new)) {
                return Ok(None);
            }
            property.set_value(input(new)?);
        }
        None => {
            object.append(last, input(new)?);
        }
    }
    Ok(Some(written(text, &root)))
}

/// A byte order mark is not part of JSON; it stays where it is.
const MARK: char = '\u{feff}';

fn written(text: &str, root: &CstRootNode) -> String {
    let mark = if text.starts_with(MARK) { MARK.to_string() } else { String::new() };
    format!("{mark}{root}")
}

fn parse(text: &str) -> Edit<CstRootNode> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    check_depth(text)?;
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())
}

/// The parser goes down for each level; a file of somebody else must not
/// decide how far.
fn check_depth(text: &str) -> Edit<()> {
    let mut depth = 0_usize;
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => depth += 1,
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err("it is nested too deeply".to_owned());
        }
    }
    Ok(())
}

fn object_or_create(root: &CstRootNode, path: &[&str]) -> Edit<CstObject> {
    let no_object = || "an object was expected".to_owned();
    let mut object = root.object_value_or_create().ok_or_else(no_object)?;
    for key in path {
        object = object.object_value_or_create(key).ok_or_else(no_object)?;
    }
    Ok(object)
}

fn object_in(root: &CstRootNode, path: &[&str]) -> Edit<Option<CstObject>> {
    let no_object = || "an object was expected".to_owned();
    let mut object = root.object_value().ok_or_else(no_object)?;
    for key in path {
        let Some(property) = object.get(key) else { return Ok(None) };
        object = property.object_value().ok_or_else(no_object)?;
    }
    Ok(Some(object))
}

fn list_at(text: &str, path: &[&str]) -> Edit<Option<CstArray>> {
    list_in(&parse(text)?, path)
}

fn list_in(root: &CstRootNode, path: &[&str]) -> Edit<Option<CstArray>> {
    let (last, parents) = path.split_last().ok_or("no path is given")?;
    let Some(object) = object_in(root, parents)? else { return Ok(None) };
    let Some(property) = object.get(last) else { return Ok(None) };
    property.array_value().map(Some).ok_or_else(|| "a list was expected".to_owned())
}

/// A value that lore writes, from its text.
fn input(text: &str) -> Edit<CstInputValue> {
    let value = parse(text)?.value().ok_or("there is no value")?;
    input_of(&value).ok_or_else(|| "there is no value".to_owned())
}

fn input_of(node: &CstNode) -> Option<CstInputValue> {
    if let Some(object) = node.as_object() {
        let member = |property: CstObjectProp| {
            Some((property.decoded_name()?, input_of(&property.value()?)?))
        };
        return object
            .properties()
            .into_iter()
            .map(member)
            .collect::<Option<_>>()
            .map(CstInputValue::Object);
    }
    if let Some(list) = node.as_array() {
        let elements = list.elements();
        return elements.iter().map(input_of).collect::<Option<_>>().map(CstInputValue::Array);
    }
    if let Some(text) = node.as_string_lit() {
        return text.decoded_value().ok().map(CstInputValue::String);
    }
    if let Some(flag) = node.as_boolean_lit() {
        return Some(CstInputValue::Bool(flag.value()));
    }
    if node.as_null_keyword().is_some() {
        return Some(CstInputValue::Null);
    }
    node.as_number_lit().map(|number| CstInputValue::Number(number.to_string()))
}
