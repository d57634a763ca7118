//! What moves an element away, cuts it off and lies over it, read from its declarations.

use super::{Cover, DEPTH, OwnBox, float, is_placed, position};
use crate::mail::html::cascade::{CssValue, PropertyKind, StyleCascade};
use crate::mail::html::css::{CssToken, split, trim};
use crate::mail::html::style::{Hiding, Styled};
use crate::mail::html::tree::{Element, among};
use crate::mail::html::value::{CssLength, HEIGHT, Units, amount, arguments, components};
use std::rc::Rc;

/// Fits a look with its place; why nothing that is in the element can be seen, if so.
pub(in crate::mail::html::style) fn beyond(
    cascade: &mut StyleCascade<'_>,
    look: &mut Styled,
    parent: &Styled,
    element: &Element,
    display: &str,
    first: bool,
) -> Option<Hiding> {
    let up = &parent.place;
    let place = &mut look.place;
    place.own = OwnBox { paints: place.own.paints, ..OwnBox::default() };
    look.inline &= !up.own.items;
    let hint = |name: &str| {
        let text = element.attribute(name).filter(|_| among("table td th img", &element.name))?.trim();
        let digits = &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())];
        let n = f32::from(digits.parse::<u16>().ok()?);
        Some(if text.ends_with('%') { n / 100.0 * up.width } else { n })
    };
    if cascade.entries.is_empty() && hint("width").or(hint("height")).is_none() {
        return None;
    }
    let inline = look.inline;
    let part_of_table = display.starts_with("table");
    cascade.units.whole = up.width;
    let edges = |cascade: &StyleCascade<'_>, base: &str| [0, 1, 2, 3].map(|side| cascade.edge(base, side));
    let zero = |edge: Option<f32>| edge.unwrap_or(0.0);
    let [margin_top, margin_right, margin_bottom, margin_left] = edges(cascade, "margin").map(zero);
    let [padding_top, padding_right, padding_bottom, padding_left] =
        edges(cascade, "padding").map(|p| zero(p).max(0.0));
    let border_left = zero(cascade.size("border-left-width border-width"));
    let border_top = zero(cascade.size("border-top-width border-width"));
    let width = cascade.size("width inline-size").or_else(|| hint("width").filter(|_| !part_of_table));
    let max_width = cascade.size("max-width max-inline-size");
    let min_width = zero(cascade.size("min-width min-inline-size"));
    let [_, right, _, left] = edges(cascade, "inset");
    cascade.units.whole = HEIGHT;
    let [top, _, bottom, _] = edges(cascade, "inset");
    // A share of a height that nothing sets is none; what is 100 % is not known here.
    cascade.units.whole = 100.0;
    let share = |cascade: &StyleCascade<'_>, names: &str| {
        cascade.get(names, PropertyKind::Any).is_some_and(|v| matches!(v.tokens[..], [CssToken::Percent(n)] if n > 0.0))
    };
    let full = share(cascade, "height block-size");
    let height = cascade.size("height block-size").filter(|_| !full);
    let max_height = cascade.size("max-height max-block-size").filter(|_| !share(cascade, "max-height max-block-size"));
    let min_height = zero(cascade.size("min-height min-block-size"));
    let border_box = cascade.has("box-sizing", "border-box");
    cascade.units.whole = up.width;
    let position = position(cascade);
    let placed = is_placed(&position);
    let positioned = placed || matches!(&*position, "relative" | "sticky" | "-webkit-sticky");
    let [top, right, bottom, left] = [top, right, bottom, left].map(|edge| edge.filter(|_| positioned));

    // Where it stands.
    let wide = width.map(|w| w.min(max_width.unwrap_or(w)).max(min_width)).or(max_width.filter(|m| *m < up.width));
    if placed {
        let [x, y, whole] = up.holder;
        match (left, right) {
            (Some(left), _) => place.x = x + left,
            (None, Some(right)) => place.x = x + whole - right - wide.unwrap_or(70.0),
            _ => {}
        }
        match (top, bottom) {
            (Some(top), _) => place.y = y + top,
            (None, Some(bottom)) if bottom >= 700.0 => place.y = y - bottom,
            (None, Some(bottom)) if bottom <= -200.0 => place.y = DEPTH * 2.0,
            _ => {}
        }
    } else {
        place.x += left.or(right.map(|r| -r)).unwrap_or(0.0);
        place.y += top.or(bottom.map(|b| -b)).unwrap_or(0.0);
    }
    let float = float(cascade);
    if float == "right" && margin_right < 0.0 {
        place.x -= margin_right;
    }
    let (mut transformed, mut shift) = (false, [0.0, 0.0]);
    if !inline {
        cascade.units.whole = wide.unwrap_or(up.width);
        for name in ["transform", "-webkit-transform", "translate", "scale", "rotate"] {
            if let Some(value) = cascade.get(name, PropertyKind::Any).filter(|v| !v.has("none initial inherit")) {
                let Some([x, y, scale]) = moved(&value, &cascade.units) else { return Some(Hiding::NoSize) };
                shift = [shift[0] + x, shift[1] + y];
                look.scale *= scale;
                transformed = true;
            }
        }
        let origin = cascade.get("transform-origin", PropertyKind::Any).and_then(|v| v.number());
        if transformed && origin.is_some_and(|n| n.abs() > 300.0) {
            return Some(Hiding::OffPage);
        }
        place.x += shift[0];
        place.y += shift[1];
    }
    cascade.units.whole = up.width;
    if let Some(n) = cascade.number("zoom").filter(|n| *n != 0.0) {
        // Nothing is what a size has that nobody can tell.
        look.scale *= n.max(0.0);
    }
    let tall = |n: f32| if inline { 0.0 } else { n };
    let (outer_x, outer_y) = (place.x + margin_left, place.y + tall(margin_top));
    place.x = outer_x + padding_left + border_left;
    place.y = outer_y + tall(padding_top + border_top);
    let lifted = place.y - up.y;
    if first && !placed && lifted <= -40.0 || lifted <= -150.0 || (place.x + place.y + zero(wide)).is_nan() {
        return Some(Hiding::OffPage);
    }
    if !inline {
        let room = up.width - margin_left.max(0.0) - margin_right.max(0.0) - padding_left - padding_right;
        place.width = wide.unwrap_or(room).max(0.0);
    }
    cascade.units.whole = place.width;
    if let Some(n) = cascade.size("text-indent") {
        place.indent = n;
    }
    if let Some(value) = cascade.get("white-space text-wrap text-wrap-mode", PropertyKind::Any) {
        place.one_line = value.has("pre nowrap");
    }
    if let Some(value) = cascade.get("text-align", PropertyKind::Any) {
        place.at_end = value.has("right center end -webkit-center -webkit-right");
    }

    // What its box cuts off.
    const CUTS: &str = "hidden clip auto scroll overlay visible";
    let cuts = ["overflow-x", "overflow-y", "overflow-block", "overflow-inline"].iter().any(|name| {
        let value = cascade.get(&[name, " overflow"].concat(), PropertyKind::Words(CUTS));
        value.is_some_and(|v| v.is_unsure() || v.has("hidden clip auto scroll overlay"))
    }) || cascade.has("contain", "paint content strict");
    let height = height.or(cascade.has("contain", "size strict").then_some(0.0));
    let height = height.or_else(|| hint("height").filter(|_| &*element.name == "img"));
    // An item that neither grows nor has a size.
    let basis = cascade.get("flex flex-basis", PropertyKind::Any).filter(|_| up.own.items).is_some_and(|value| {
        let parts = components(&value.tokens);
        let none = parts.last().is_some_and(|p| amount(p, &cascade.units).pixels().is_some_and(|n| n < 2.0));
        none && (*value.name != *"flex" || parts.len() == 3 && value.number() == Some(0.0))
    });
    if cuts && !inline && &*element.name != "html" && display != "contents" {
        let total = |size: f32, inside: f32| if border_box { size.max(inside) } else { size + inside };
        let least = |a: Option<f32>, b: Option<f32>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let line = if look.line.1 { look.line.0 * look.font } else { look.line.0 };
        let lines =
            cascade.get("-webkit-line-clamp line-clamp", PropertyKind::Any).and_then(|v| v.number()).map(|n| n * line);
        let highest = least(least(height, max_height).map(|h| h.max(min_height)), lines);
        // Tables and their parts grow with what they hold.
        if let Some(h) = highest.filter(|_| !part_of_table || display == "table-caption") {
            place.seen[2] = place.seen[2].max(outer_y);
            place.seen[3] = place.seen[3].min(outer_y + total(h, padding_top + padding_bottom));
        }
        place.squeezes = true;
        place.seen[0] = place.seen[0].max(outer_x);
        let grows = part_of_table && !up.fixed_table && display != "table";
        if let Some(w) = (if basis { Some(0.0) } else { wide }).filter(|_| !grows) {
            place.seen[1] = place.seen[1].min(outer_x + total(w, padding_left + padding_right));
        }
        if highest.or(wide).is_some() && !part_of_table {
            place.flow = Some(Rc::default());
        }
        if up.own.no_track {
            return Some(Hiding::NoSize);
        }
    }
    if display == "table" {
        place.fixed_table = cascade.has("table-layout", "fixed");
    }
    let offsets = [top, right, bottom, left];
    let gone = offsets.iter().flatten().chain(&shift).map(|n| n.abs()).fold(0.0, f32::max);
    let low = |size: Option<f32>| size.is_some_and(|n| n + padding_top + padding_bottom < look.font * 0.7);
    let narrow = wide.is_some_and(|w| w < look.font * 0.7);
    place.own = OwnBox {
        extra: margin_top + margin_bottom + padding_top + padding_bottom,
        height: zero(height).max(min_height),
        items: display.contains("flex") || display.contains("grid"),
        holds: positioned || transformed,
        moved: placed || gone > 60.0 || margin_top < -60.0 || margin_left < -60.0,
        far: gone > 200.0 || margin_top < -60.0,
        flat: !part_of_table && !inline && (low(height) || low(max_height) || narrow),
        fits: wide.is_none() && height.is_none(),
        ..place.own
    };
    if place.own.holds {
        place.holder = [outer_x, outer_y, place.width];
    }
    let tracks = ["grid-template", "grid-template-rows", "grid-template-columns", "grid"];
    place.own.no_track = place.own.items
        && tracks.iter().filter_map(|name| cascade.get(name, PropertyKind::Any)).any(|v| {
            let none =
                |t: &CssToken| matches!(t, CssToken::Number(0.0) | CssToken::Length(0.0, _) | CssToken::Percent(0.0));
            v.is_unsure() || v.tokens.iter().any(none)
        });

    // Shapes that cut it, what lies over it.
    for name in ["clip-path", "-webkit-clip-path"] {
        if cascade.get(name, PropertyKind::Any).is_some_and(|v| cut_off(&v.tokens)) {
            return Some(Hiding::NoSize);
        }
    }
    let number = |names: &str| cascade.get(names, PropertyKind::Any).and_then(|v| v.number()).unwrap_or(0.0);
    let layer = number("z-index");
    let behind = layer < 0.0 && (positioned || up.own.items) && parent.painted;
    if behind || number("outline-offset") < -4.0 && number("outline outline-width") > 4.0 {
        return Some(Hiding::NoContrast);
    }
    let picture = match &*element.name {
        "img" => element.attribute("src").is_some_and(|s| s.trim_start().to_ascii_lowercase().starts_with("data:")),
        name => among("svg canvas iframe video", name),
    };
    let thick = |name: &&str| {
        let wide = |t: &CssToken| matches!(t, CssToken::Length(n, _) if n.abs() > 12.0);
        cascade.get(name, PropertyKind::Any).is_some_and(|v| v.tokens.iter().any(wide))
    };
    let drawn = place.own.paints
        || picture
        || ["border", "border-top", "border-left", "border-width", "box-shadow", "outline"].iter().any(thick)
        || cascade.sets("backdrop-filter");
    if drawn && layer >= 0.0 && look.visible && look.opacity > 0.4 {
        let raised = -12.0;
        let pulled = [margin_top, margin_left, shift[0], shift[1]].iter().any(|n| *n <= raised);
        let shifted = [top, left].iter().flatten().any(|n| *n <= raised)
            || [bottom, right].iter().flatten().any(|n| *n >= -raised);
        let all = offsets.iter().all(|o| o.is_some_and(|n| n.abs() <= 50.0));
        let filled = full && width.is_some_and(|w| w >= up.holder[2] * 0.9);
        let small = wide.is_some_and(|w| w < 60.0) && height.is_some_and(|h| h < 30.0);
        let in_line = inline || display.starts_with("inline-") || !float.is_empty() && float != "none";
        look.cover = match () {
            () if placed && (all || filled) => Some(Cover::Box),
            () if placed && !small => Some(Cover::Parent),
            () if placed => None,
            () if positioned && shifted || pulled && (positioned || transformed || in_line) => Some(Cover::Before),
            () => None,
        };
    }
    None
}

/// How far a transform moves its element, and how large it makes it; `None` where it may make it vanish.
fn moved(value: &CssValue, units: &Units) -> Option<[f32; 3]> {
    let parts = components(&value.tokens);
    // Properties of their own say it without a function.
    if !value.name.ends_with("transform") {
        let all: Vec<&[CssToken]> = parts.clone();
        return step(&value.name, &all, units);
    }
    let mut sum = [0.0, 0.0, 1.0];
    for part in parts {
        let [CssToken::Function(name), ..] = part else { return None };
        let [x, y, scale] = step(name, &split(arguments(part), &CssToken::Delim(',')), units)?;
        sum = [sum[0] + x, sum[1] + y, sum[2] * scale];
    }
    Some(sum)
}

fn step(name: &str, list: &[&[CssToken]], units: &Units) -> Option<[f32; 3]> {
    let measured = |n: usize, whole: f32| match amount(trim(list.get(n)?), &Units { whole, ..*units }) {
        CssLength::Number(n) | CssLength::Pixels(n) => Some(n),
        _ => None,
    };
    let plain = |n: usize| measured(n, 1.0);
    // What is 100 % of a height is not known here.
    let (across, down) = (|n: usize| measured(n, units.whole), |n: usize| measured(n, 100.0));
    let or = |n: usize, value: Option<f32>, other: f32| if list.len() > n { value } else { Some(other) };
    Some(match name {
        "translate" | "translate3d" if or(2, plain(2), 0.0) == Some(0.0) => [across(0)?, or(1, down(1), 0.0)?, 1.0],
        "translatex" => [across(0)?, 0.0, 1.0],
        "translatey" => [0.0, down(0)?, 1.0],
        "translatez" if plain(0)? == 0.0 => [0.0, 0.0, 1.0],
        "scale" | "scale3d" => [0.0, 0.0, plain(0)?.abs().min(or(1, plain(1), plain(0)?)?.abs())],
        "scalex" | "scaley" => [0.0, 0.0, plain(0)?.abs()],
        "rotate" | "rotatez" if list.len() == 1 => [0.0, 0.0, 1.0],
        "skew" | "skewx" | "skewy" if plain(0)?.abs() < 60.0 && or(1, plain(1), 0.0)?.abs() < 60.0 => [0.0, 0.0, 1.0],
        "matrix" if list.len() == 6 => {
            [plain(4)?, plain(5)?, (plain(0)? * plain(3)? - plain(1)? * plain(2)?).abs().sqrt()]
        }
        _ => return None,
    })
}

/// Whether a shape may leave nothing of what it cuts.
fn cut_off(value: &[CssToken]) -> bool {
    const BOXES: &str =
        "none initial inherit border-box padding-box content-box margin-box fill-box stroke-box view-box";
    let units = Units { font: 16.0, root: 16.0, line: 20.0, whole: 100.0 };
    components(value).into_iter().any(|part| {
        let [CssToken::Function(name), ..] = part else { return !part[0].is_among(BOXES) };
        let mut parts = components(arguments(part));
        let edge = parts.iter().position(|p| p[0].is_among("round at"));
        parts.truncate(edge.unwrap_or(parts.len()));
        let size = |p: &&[CssToken]| amount(p, &units).pixels();
        match &**name {
            "inset" => parts.iter().any(|p| size(p).is_none_or(|n| n > 12.0)),
            "circle" | "ellipse" => edge.is_some() || parts.iter().any(|p| size(p).is_some_and(|n| n < 40.0)),
            _ => true,
        }
    })
}
