use super::*;
use crate::mail::html::tokens;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Every text with the elements that it lies in.
fn ours(html: &str) -> Vec<String> {
    let mut builder = Builder::new(html.len());
    tokens::parse(html, &mut builder);
    let tree = builder.finish();
    let mut out = Vec::new();
    for at in tree.in_order() {
        let Content::Text(text) = &tree.node(at).content else { continue };
        let up = |at: &u32| Some(tree.node(*at).parent).filter(|p| *p != NONE);
        let mut path: Vec<String> = std::iter::successors(up(&at), up)
            .filter_map(|at| tree.element(at))
            .map(|e| format!("{}#{} > ", e.name, e.attribute("id").unwrap_or_default()))
            .collect();
        path.reverse();
        out.push(path.concat() + text);
    }
    out
}

/// The same by html5ever, which passes the tests of the standard.
fn theirs(html: &str) -> Vec<String> {
    fn walk(node: &Handle, path: &str, out: &mut Vec<String>) {
        let mut path = path.to_owned();
        match &node.data {
            NodeData::Element { name, attrs, .. } => {
                let attributes = attrs.borrow();
                let id = attributes.iter().find(|a| &*a.name.local == "id").map(|a| a.value.to_string());
                path += &format!("{}#{} > ", name.local.to_ascii_lowercase(), id.unwrap_or_default());
            }
            NodeData::Text { contents } => out.push(format!("{path}{}", contents.borrow())),
            _ => {}
        }
        node.children.borrow().iter().for_each(|child| walk(child, &path, out));
    }
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let page = parse_document(RcDom::default(), ParseOpts { tree_builder, ..ParseOpts::default() }).one(html);
    let mut out = Vec::new();
    walk(&page.document, "", &mut out);
    out
}

#[test]
fn texts_lie_where_the_standard_puts_them() {
    // Not `select`, whose rules have changed, nor `template` and a `noscript` of the head, which show no text.
    const TAGS: &str = "p div span b i a font table tr td th tbody thead tfoot caption li ul ol dl dt dd h1 h2 form button \
        blockquote center pre section em nobr marquee object address details summary u small big hr br img input title style \
        body html head colgroup col svg math rt rp ruby xmp";
    let mut pieces: Vec<String> = Vec::new();
    for tag in TAGS.split_ascii_whitespace() {
        pieces.extend([format!("<{tag}>"), format!("</{tag}>"), format!("<{tag} id=@>")]);
    }
    pieces.extend(std::iter::repeat_n("@".to_owned(), 50));
    let mut next = crate::mail::html::drawn(0x1234_5678);
    let mut texts = 0;
    for _ in 0..20_000 {
        let mut html = ["", "<!DOCTYPE html>"][next(2)].to_owned();
        for n in 0..2 + next(14) {
            html += &pieces[next(pieces.len())].replace('@', &format!("t{n}"));
        }
        let found = ours(&html);
        texts += found.len();
        assert_eq!(found, theirs(&html), "{html}");
    }
    assert!(texts > 20_000);
}
