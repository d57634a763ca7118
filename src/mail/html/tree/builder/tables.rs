//! Tags by the rules of tables: which rows, cells and captions they begin and end.
//!
//! It never sees what is no part of a table but to put it in front of one.

use super::*;

impl Builder {
    /// What a start tag does by the rules of tables; whether that was all.
    pub(super) fn table_start(&mut self, name: &str, attributes: &[Attribute]) -> bool {
        loop {
            let mode = self.current().mode;
            let part = among(OF_TABLE, name);
            match mode {
                InsertionMode::Body => return false,
                InsertionMode::Cell | InsertionMode::Caption => {
                    if !part {
                        return false;
                    }
                    self.leave_cell();
                }
                InsertionMode::Columns => {
                    if name == "col" {
                        self.insert(name, attributes.to_vec(), mode);
                        self.pop();
                        return true;
                    }
                    if name == "template" || !self.current().is("colgroup") {
                        return false;
                    }
                    self.pop();
                }
                InsertionMode::Row if matches!(name, "td" | "th") => {
                    self.clear_to("tr template html");
                    self.insert(name, attributes.to_vec(), InsertionMode::Cell);
                    self.formatting.push(None);
                    return true;
                }
                InsertionMode::Row if part => {
                    if !self.in_table_scope("tr") {
                        return true;
                    }
                    self.clear_to("tr template html");
                    self.pop();
                }
                InsertionMode::Rows if name == "tr" => {
                    self.clear_to("tbody tfoot thead template html");
                    self.insert(name, attributes.to_vec(), InsertionMode::Row);
                    return true;
                }
                InsertionMode::Rows if matches!(name, "td" | "th") => {
                    self.clear_to("tbody tfoot thead template html");
                    self.insert("tr", Vec::new(), InsertionMode::Row);
                }
                InsertionMode::Rows if part => {
                    if !self.in_table_scope("tbody tfoot thead") {
                        return true;
                    }
                    self.clear_to("tbody tfoot thead template html");
                    self.pop();
                }
                InsertionMode::Table if part => {
                    self.clear_to("table template html");
                    match name {
                        "caption" => {
                            self.formatting.push(None);
                            self.insert(name, attributes.to_vec(), InsertionMode::Caption);
                            return true;
                        }
                        "colgroup" => {
                            self.insert(name, attributes.to_vec(), InsertionMode::Columns);
                            return true;
                        }
                        "col" => self.insert("colgroup", Vec::new(), InsertionMode::Columns),
                        "td" | "th" | "tr" => self.insert("tbody", Vec::new(), InsertionMode::Rows),
                        _ => {
                            self.insert(name, attributes.to_vec(), InsertionMode::Rows);
                            return true;
                        }
                    }
                }
                InsertionMode::Table | InsertionMode::Rows | InsertionMode::Row => {
                    let hidden = |(n, v): &Attribute| n == "type" && v.eq_ignore_ascii_case("hidden");
                    match name {
                        "table" => {
                            if self.in_table_scope("table") {
                                self.pop_until("table");
                                continue;
                            }
                            return true;
                        }
                        "input" if attributes.iter().any(hidden) => {
                            self.insert(name, attributes.to_vec(), mode);
                            self.pop();
                            return true;
                        }
                        "form" => {
                            if self.form == NONE {
                                self.insert(name, attributes.to_vec(), mode);
                                self.form = self.current().node;
                                self.pop();
                            }
                            return true;
                        }
                        _ => {
                            self.foster = true;
                            return false;
                        }
                    }
                }
            }
        }
    }

    /// What an end tag does by the rules of tables; whether that was all.
    pub(super) fn table_end(&mut self, name: &str) -> bool {
        loop {
            let mode = self.current().mode;
            match (mode, name) {
                (InsertionMode::Body, _) => return false,
                (InsertionMode::Cell, "td" | "th") | (InsertionMode::Caption, "caption") => {
                    if self.in_table_scope(name) {
                        self.imply("");
                        self.pop_until(name);
                        self.forget_to_fence();
                    }
                    return true;
                }
                (InsertionMode::Cell | InsertionMode::Caption, "table" | "tbody" | "tfoot" | "thead" | "tr") => {
                    if !self.in_table_scope(name) {
                        return true;
                    }
                    self.leave_cell();
                }
                (InsertionMode::Cell | InsertionMode::Caption, _) => return among(OF_TABLE, name),
                (InsertionMode::Columns, _) => {
                    if self.current().is("colgroup") {
                        self.pop();
                        if name == "colgroup" {
                            return true;
                        }
                    } else {
                        return false;
                    }
                }
                (_, "table") => {
                    if self.in_table_scope("table") {
                        self.pop_until("table");
                    }
                    return true;
                }
                (InsertionMode::Row, "tr") => {
                    if self.in_table_scope("tr") {
                        self.clear_to("tr template html");
                        self.pop();
                    }
                    return true;
                }
                (InsertionMode::Row, "tbody" | "tfoot" | "thead") => {
                    if !self.in_table_scope(name) {
                        return true;
                    }
                    self.clear_to("tr template html");
                    self.pop();
                }
                (InsertionMode::Rows, "tbody" | "tfoot" | "thead") => {
                    if self.in_table_scope(name) {
                        self.clear_to("tbody tfoot thead template html");
                        self.pop();
                    }
                    return true;
                }
                _ => return among(OF_TABLE, name),
            }
        }
    }

    pub(super) fn clear_to(&mut self, names: &str) {
        while self.stack.len() > 2 && !self.current().among(names) {
            self.pop();
        }
    }

    pub(super) fn leave_cell(&mut self) {
        self.imply("");
        self.pop_until("td th caption");
        self.forget_to_fence();
    }
}
