use super::render;

#[test]
fn visible_text_is_rendered() {
    for (html, text) in [
        ("<p>a\n b</p><p>c<br>d</p>", "a b\n\nc\nd"),
        ("<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
        ("<ul><li>a<li>b</ul><ol><li>c</li><li>d</li></ol>", "- a\n- b\n\n1. c\n2. d"),
        ("<table><tr><td>Expires</td><td>19 June</td></tr><tr><td>a<td>b<td>c</table>", "Expires: 19 June\na | b | c"),
        ("<table><tr><td><p>Due:</p></td><td><p>1 May</p></td></tr></table>", "Due: 1 May"),
        ("<table><tr><td><table><tr><td>x</td></tr></table></td></tr></table>y", "x\n\ny"),
        ("a<blockquote>b<blockquote>c</blockquote></blockquote>d", "a\n> b\n>> c\nd"),
        ("<p>a<p>b", "a\n\nb"),
        ("<title>t</title><style>p{}</style>a", "a"),
        ("<pre>a\n  b</pre>", "a\nb"),
        ("a&nbsp;b &amp; c", "a b & c"),
    ] {
        assert_eq!(render(html), text, "{html}");
    }
}

#[test]
fn hidden_text_is_left_out() {
    for html in [
        "a<div style=\"display:none\">SECRET plan</div>b",
        "<style>.pre{display:none}</style>a<div class=pre>SECRET plan</div>b",
        "a<p style='color:#ffffff;font-size:1px'>SECRET plan<p>b",
        "<body bgcolor=black text=white>a<font color='#000'>SECRET plan</font>b",
        "a<span hidden>SECRET plan</span>b",
        "a<template>SECRET plan</template>b",
        "a<!-- SECRET plan of the cat -->b",
        "<span aria-hidden=true>SECRET plan</span>ab",
        "a<div style='position:absolute;left:-9999px'><b>SECRET</b> plan</div>b",
        "a<s>SECRET plan</s>b",
    ] {
        assert_eq!(render(html).replace(['\n', ' '], ""), "ab", "{html}");
    }
}

#[test]
fn unclosed_and_crossed_tags_hide_no_other_text() {
    assert_eq!(render("<p style='display:none'>x<p>a"), "a");
    assert_eq!(render("<div style='display:none'>x</div>a</span></td>b"), "ab");
    assert_eq!(render("<b><span style='display:none'>x</b>a"), "a");
}

#[test]
fn deep_nesting_does_not_overflow() {
    let deep = format!("{}a{}b", "<div>".repeat(100_000), "</div>".repeat(100_000));
    assert_eq!(render(&deep).replace('\n', ""), "ab");
    let quotes = format!("{}a", "<blockquote>".repeat(10_000));
    assert!(render(&quotes).ends_with('a'));
}

/// Whether the text SECRET is visible on a page with this style sheet and body.
fn shown(sheet: &str, body: &str) -> bool {
    render(&format!("<style>{sheet}</style>{body}")).contains("SECRET")
}

#[test]
fn invisible_styles_hide_text() {
    for style in [
        "display: none !important",
        "visibility:hidden",
        "opacity:0",
        "font-size:0px",
        "font-size:1px;line-height:1px",
        "font:0/0 a",
        "color:#fff",
        "color:#fefefe;background:#FFFFFF",
        "color:rgba(0,0,0,0)",
        "color:transparent",
        "background-color:black;color:rgb(0, 0, 0)",
        "color:#fff;background:url(a.png)",
        "position:absolute;left:-9999px",
        "text-indent:-9999px",
        "max-height:0;overflow:hidden",
        "height:1px;width:1px;overflow:hidden",
        "clip:rect(0,0,0,0)",
        "transform:scale(0)",
        "text-decoration:line-through",
        "mso-hide:all",
    ] {
        assert!(!shown("", &format!("<p style='{style}'>SECRET")), "{style}");
    }
}

#[test]
fn visible_styles_keep_text() {
    for style in [
        "",
        "color:#333",
        "color:white;background:#2e8b57",
        "color:#fff;background:#333 url(a.png)",
        "font-size:11px;line-height:0",
        "height:0",
        "position:relative;left:-2px",
        "display:block;opacity:.8",
        "color:#999;font-size:9pt",
        "max-width:100%",
        "margin:0;padding:0",
    ] {
        assert!(shown("", &format!("<p style='{style}'>SECRET")), "{style}");
    }
}

#[test]
fn style_sheets_apply_by_selector_and_media() {
    let sheet =
        "<!-- /* x */ .a, p.b{display:none} @media (max-width:600px){.c{display:none}} #d{color:#fff} .e i{opacity:0}";
    assert!(!shown(sheet, "<p class='x A'>SECRET"));
    assert!(!shown(sheet, "<p class=b>SECRET") && shown(sheet, "<div class=b>SECRET"));
    assert!(shown(sheet, "<p class=c>SECRET"));
    assert!(!shown(sheet, "<p id=d>SECRET") && shown(sheet, "<p id=e>SECRET"));
    assert!(!shown(sheet, "<p class=e><b><i>SECRET") && shown(sheet, "<p><b><i>SECRET"));
}

#[test]
fn text_beyond_limits_is_hidden() {
    let many = "*{color:red}".repeat(600);
    assert!(!shown(&many, "<p>SECRET"));
    let attributes: String = (0..200).map(|n| format!("a{n} ")).collect();
    assert!(!shown("", &format!("<p {attributes}>SECRET")));
    let deep = format!("{}<b class=x>SECRET", "<i>".repeat(600));
    assert!(!shown(".x{display:none}", &deep));
}
