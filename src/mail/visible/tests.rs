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

/// Whether the text SECRET is visible on a page with this style sheet and body.
fn shown(sheet: &str, body: &str) -> bool {
    render(&format!("<style>{sheet}</style>{body}")).contains("SECRET")
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
