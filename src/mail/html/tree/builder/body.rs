//! Tags by the rules of the body of a page: what they close without saying so, and what may hold them.
//!
//! It never touches rows and cells.

use super::*;

impl Builder {
    pub(super) fn start(&mut self, name: &str, attributes: Vec<Attribute>, self_closing: bool) {
        match name {
            "html" => return self.merge(HTML, attributes),
            "head" if self.in_head() && !self.tree.children(HEAD).any(|c| self.tree.element(c).is_some()) => {
                return self.merge(HEAD, attributes);
            }
            "head" => return,
            "noscript" if self.in_head() => return,
            "body" => {
                if self.in_head() {
                    self.leave_head();
                }
                return self.merge(BODY, attributes);
            }
            "frameset" if self.frames => self.tree.dark_from = 0,
            _ => {}
        }
        if self.in_head() && !among(IN_HEAD, name) {
            self.leave_head();
        }
        if self.table_start(name, &attributes) {
            return;
        }
        let mode = self.current().mode;
        if among(IN_HEAD, name) {
            self.foster &= !matches!(name, "style" | "script" | "template");
            self.insert(name, attributes, if name == "template" { InsertionMode::Body } else { mode });
            if name == "template" {
                self.formatting.push(None);
            } else if among(VOID, name) {
                self.pop();
            }
            return;
        }
        if among(BLOCK, name)
            || matches!(name, "plaintext" | "xmp" | "hr" | "form" | "li" | "dd" | "dt")
            || heading(name)
        {
            match name {
                "form" if self.form != NONE => return,
                "li" => self.close_item("li"),
                "dd" | "dt" => self.close_item("dd dt"),
                _ => {}
            }
            self.close_paragraph();
            if heading(name) && heading(&self.current().name) && !self.current().foreign {
                self.pop();
            }
            if name == "xmp" {
                self.reconstruct();
            }
            self.insert(name, attributes, mode);
            match name {
                "hr" => self.pop(),
                "form" => self.form = self.current().node,
                _ => {}
            }
            return;
        }
        match name {
            "frameset" | "frame" => return,
            _ if among(OF_TABLE, name) && !self.in_template() => return,
            "button" if self.in_scope("button", "") => {
                self.imply("");
                self.pop_until("button");
            }
            "a" => {
                let since = self.since_fence();
                if let Some(open) = self.formatting[since..].iter().rev().flatten().find(|o| o.is("a")).cloned() {
                    self.adopt("a");
                    self.formatting.retain(|o| o.as_ref().is_none_or(|o| o.node != open.node));
                    if let Some(at) = self.stack.iter().rposition(|o| o.node == open.node) {
                        self.stack.remove(at);
                    }
                }
            }
            "nobr" => {
                self.reconstruct();
                if self.in_scope("nobr", "") {
                    self.adopt("nobr");
                }
            }
            "table" => {
                if self.tree.quirks == Quirks::No {
                    self.close_paragraph();
                }
                return self.insert(name, attributes, InsertionMode::Table);
            }
            "select" if self.in_scope("select", "") && self.stack.iter().any(|o| o.is("select")) => {
                return self.pop_until("select");
            }
            "option" | "optgroup" if self.current().is("option") => self.pop(),
            "rb" | "rtc" | "rp" | "rt" => {
                if self.in_scope("ruby", "") {
                    self.imply(if matches!(name, "rp" | "rt") { "rtc" } else { "" });
                }
                return self.insert(name, attributes, mode);
            }
            "svg" | "math" => {
                self.reconstruct();
                return self.open_foreign(name, attributes, self_closing);
            }
            "textarea" | "iframe" | "noembed" => return self.insert(name, attributes, mode),
            _ => {}
        }
        self.reconstruct();
        self.insert(name, attributes, mode);
        if among(VOID, name) {
            self.pop();
        } else if among(FORMATTING, name) {
            self.remember();
        } else if matches!(name, "applet" | "marquee" | "object") {
            self.formatting.push(None);
        }
    }

    pub(super) fn in_template(&self) -> bool {
        self.stack.iter().rev().find(|o| o.among("template table")).is_some_and(|o| o.is("template"))
    }

    /// Closes the item of a list that a new one ends.
    pub(super) fn close_item(&mut self, names: &str) {
        for at in (0..self.stack.len()).rev() {
            let open = &self.stack[at];
            if open.among(names) {
                let name = open.name.to_string();
                self.imply(&name);
                return self.pop_until(&name);
            }
            if open.special && !open.among("address div p") {
                return;
            }
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        let mode = self.current().mode;
        match name {
            "body" | "html" | "head" => {}
            "template" => {
                if self.stack.iter().any(|o| o.is("template")) {
                    self.pop_until("template");
                    self.forget_to_fence();
                }
            }
            "br" => {
                self.reconstruct();
                self.insert("br", Vec::new(), mode);
                self.pop();
            }
            "p" => {
                if !self.in_scope("p", "button") {
                    self.insert("p", Vec::new(), mode);
                }
                self.imply("p");
                self.pop_until("p");
            }
            "li" => self.end_block(name, "ol ul"),
            "form" => {
                let form = std::mem::replace(&mut self.form, NONE);
                let at = self.stack.iter().rposition(|o| o.node == form);
                if let Some(at) = at.filter(|_| self.in_scope("form", "")) {
                    self.imply("");
                    if at < self.stack.len() {
                        self.stack.remove(at);
                    }
                }
            }
            "applet" | "marquee" | "object" => {
                if self.in_scope(name, "") {
                    self.end_block(name, "");
                    self.forget_to_fence();
                }
            }
            _ if heading(name) => {
                let all = "h1 h2 h3 h4 h5 h6";
                if self.in_scope(all, "") {
                    self.imply("");
                    self.pop_until(all);
                }
            }
            _ if among(FORMATTING, name) => self.adopt(name),
            "select" => {
                if self.stack.iter().any(|o| o.is(name)) {
                    self.pop_until(name);
                }
            }
            _ if among(BLOCK, name) || matches!(name, "button" | "dd" | "dt") => self.end_block(name, ""),
            _ => self.end_other(name),
        }
    }

    pub(super) fn end_block(&mut self, name: &str, fences: &str) {
        if self.in_scope(name, fences) {
            self.imply(name);
            self.pop_until(name);
        }
    }

    pub(super) fn end_other(&mut self, name: &str) {
        for at in (1..self.stack.len()).rev() {
            if self.stack[at].is(name) {
                self.imply(name);
                while self.stack.len() > at.max(1) {
                    self.pop();
                }
                return;
            }
            if self.stack[at].special {
                return;
            }
        }
    }
}
