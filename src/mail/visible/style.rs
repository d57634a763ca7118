//! Computes the properties set by declarations, by longhand name.

use super::sheet::{Declaration, StyleSheet};
use super::value::{Units, among, amount, colour, pair, parts, split};
use std::collections::HashMap;

pub(super) type Properties = HashMap<String, String>;

const DISPLAYS: &str = "none contents block inline inline-block list-item table inline-table table-row table-cell \
    table-row-group table-header-group table-footer-group table-caption table-column table-column-group flex inline-flex \
    grid inline-grid flow flow-root ruby ruby-text math -webkit-box -webkit-inline-box -webkit-flex";
/// Pairs of a property and its equivalent.
const EQUIVALENTS: &str = "block-size height inline-size width max-block-size max-height max-inline-size max-width \
    inset-inline-start left margin-inline-start margin-left margin-block-start margin-top overflow-x overflow \
    overflow-y overflow text-decoration-line text-decoration -webkit-line-clamp line-clamp mask-image mask \
    -webkit-mask mask -webkit-mask-image mask -webkit-transform transform -webkit-filter filter \
    -webkit-clip-path clip-path -webkit-background-clip background-clip margin-inline margin-left";
const SIZES: &str = "xx-small 9px x-small 10px small 13px medium 16px large 18px x-large 24px xx-large 32px \
    smaller .83em larger 1.2em";

impl StyleSheet {
    /// The properties set by declarations in ascending weight; invalid values are ignored.
    pub fn properties<'d>(&self, declarations: impl Iterator<Item = &'d Declaration>) -> Properties {
        let mut out = Properties::new();
        for declaration in declarations {
            let name = pair(EQUIVALENTS, &declaration.name).unwrap_or(&declaration.name);
            match self.resolved(&declaration.value, 0) {
                Some(value) => self.set(&mut out, name, value.trim()),
                None => drop(out.remove(name)),
            }
        }
        out
    }

    /// Replaces `var()`, `env()` and `attr()` by the page's last value or the fallback.
    fn resolved(&self, value: &str, depth: usize) -> Option<String> {
        let Some(at) = ["var(", "env(", "attr("].iter().filter_map(|f| value.find(f)).min() else {
            return Some(value.to_owned());
        };
        let open = at + value[at..].find('(')? + 1;
        let mut level = 1usize;
        let close = value[open..].find(|c| {
            level = level + usize::from(c == '(') - usize::from(c == ')');
            level == 0
        });
        let close = close.map_or(value.len(), |c| open + c);
        let (name, fallback) =
            value[open..close].split_once(',').map_or((&value[open..close], None), |v| (v.0, Some(v.1)));
        let found = self.variables.get(name.trim()).map(String::as_str).or(fallback)?;
        let whole = [&value[..at], found, value.get(close + 1..).unwrap_or_default()].concat();
        if depth > 8 || whole.len() > 1_000 { None } else { self.resolved(&whole, depth + 1) }
    }

    fn set(&self, out: &mut Properties, name: &str, value: &str) {
        let units = Units { font: 16.0, root: 16.0, whole: 100.0 };
        let is_size = |v: &str| amount(v, &units).is_some_and(|a| !a.1 || a.0 == 0.0 || self.quirks);
        let value = if name == "font-size" { pair(SIZES, value).unwrap_or(value) } else { value };
        let value = match (name, value) {
            ("color", "initial") => "#000",
            ("font-size", "initial") => "16px",
            ("visibility", "initial") => "visible",
            _ => value,
        };
        let valid = match name {
            _ if among("inherit unset revert revert-layer initial", value)
                || (name, value) == ("color", "currentcolor") =>
            {
                return out.retain(|known, _| name != "all" && *known != *name);
            }
            "display" => among(DISPLAYS, value),
            "visibility" => matches!(value, "visible" | "hidden" | "collapse"),
            "color" | "background-color" | "-webkit-text-fill-color" => colour(value, self.quirks).is_some(),
            // Arithmetic is not evaluated and hides.
            "font-size" => is_size(value) || value.contains('('),
            _ => true,
        };
        let all = parts(value);
        if !valid || all.is_empty() {
            return;
        }
        let mut put = |name: &str, value: &str| drop(out.insert(name.to_owned(), value.to_owned()));
        match name {
            "font" => {
                let (before, after) = value.split_once('/').unwrap_or((value, "normal"));
                let Some(size) = parts(before).into_iter().find(|p| is_size(p)) else { return };
                put("font-size", size);
                put("line-height", parts(after).first().unwrap_or(&"normal"));
            }
            "background" => {
                let mut layers = all.iter().flat_map(|p| split(p, |c| c == ','));
                put("background-color", layers.rfind(|p| colour(p, self.quirks).is_some()).unwrap_or("transparent"));
                put("background-image", value);
            }
            "margin" | "padding" | "inset" => {
                for (n, side) in ["top", "right", "bottom", "left"].iter().enumerate() {
                    let value = all.get(n).or(all.get(n.saturating_sub(2))).unwrap_or(&all[0]);
                    let value = if n == 3 && all.len() < 4 { all.get(1).unwrap_or(&all[0]) } else { value };
                    put(&if name == "inset" { (*side).to_owned() } else { [name, "-", side].concat() }, value);
                }
            }
            "overflow" | "margin-left" => put(name, all[0]),
            _ => put(name, value),
        }
    }
}
