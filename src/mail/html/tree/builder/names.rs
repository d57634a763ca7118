//! The names of elements, by what the standard does with them.
//!
//! It never tells them from names of drawings and formulas.

/// More attributes than any mail has; an element with more of them is not shown.
pub(in crate::mail::html) const MAX_ATTRIBUTES: usize = 100;

pub(super) const SPECIAL: &str = "address applet area article aside base basefont bgsound blockquote body br button caption center \
    col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 \
    head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes \
    noscript object ol p param plaintext pre script search section select source style summary table tbody td template \
    textarea tfoot th thead title tr track ul wbr xmp";
/// What stands beside a paragraph, never in it.
pub(super) const BLOCK: &str = "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer \
    header hgroup main menu nav ol p search section summary ul listing pre";
pub(super) const FORMATTING: &str = "a b big code em font i nobr s small strike strong tt u";
pub(super) const VOID: &str =
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr";
pub(super) const IN_HEAD: &str = "base basefont bgsound link meta title style script noframes template";
pub(super) const RAW: &str = "iframe noembed noframes plaintext script style textarea title xmp";
pub(super) const IMPLIED: &str = "dd dt li optgroup option p rb rp rt rtc";
pub(super) const OF_TABLE: &str = "caption col colgroup tbody td tfoot th thead tr";
pub(super) const SCOPE: &str = "applet caption html table td th marquee object template select";
/// HTML that ends a drawing or a formula.
pub(super) const BREAKOUT: &str = "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li \
    listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var";
/// Where a drawing, and where a formula, holds HTML again.
pub(super) const IN_DRAWING: &str = "foreignobject desc title";
pub(super) const IN_FORMULA: &str = "mi mo mn ms mtext";
