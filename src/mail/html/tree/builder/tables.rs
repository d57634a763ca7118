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
                Mode::Body => return false,
                Mode::Cell | Mode::Caption => {
                    if !part {
                        return false;
                    }
                    self.leave_cell();
                }
                Mode::Columns => {
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
                Mode::Row if matches!(name, "td" | "th") => {
                    self.clear_to("tr template html");
                    self.insert(name, attributes.to_vec(), Mode::Cell);
                    self.formatting.push(None);
                    return true;
                }
                Mode::Row if part => {
                    if !self.in_table_scope("tr") {
                        return true;
                    }
                    self.clear_to("tr template html");
                    self.pop();
                }
                Mode::Rows if name == "tr" => {
                    self.clear_to("tbody tfoot thead template html");
                    self.insert(name, attributes.to_vec(), Mode::Row);
                    return true;
                }
                Mode::Rows if matches!(name, "td" | "th") => {
                    self.clear_to("tbody tfoot thead template html");
                    self.insert("tr", Vec::new(), Mode::Row);
                }
                Mode::Rows if part => {
                    if !self.in_table_scope("tbody tfoot thead") {
                        return true;
                    }
                    self.clear_to("tbody tfoot thead template html");
                    self.pop();
                }
                Mode::Table if part => {
                    self.clear_to("table template html");
                    match name {
                        "caption" => {
                            self.formatting.push(None);
                            self.insert(name, attributes.to_vec(), Mode::Caption);
                            return true;
                        }
                        "colgroup" => {
                            self.insert(name, attributes.to_vec(), Mode::Columns);
                            return true;
                        }
                        "col" => self.insert("colgroup", Vec::new(), Mode::Columns),
                        "td" | "th" | "tr" => self.insert("tbody", Vec::new(), Mode::Rows),
                        _ => {
                            self.insert(name, attributes.to_vec(), Mode::Rows);
                            return true;
                        }
                    }
                }
                Mode::Table | Mode::Rows | Mode::Row => {
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
                (Mode::Body, _) => return false,
                (Mode::Cell, "td" | "th") | (Mode::Caption, "caption") => {
                    if self.in_table_scope(name) {
                        self.imply("");
                        self.pop_until(name);
                        self.forget_to_fence();
                    }
                    return true;
                }
                (Mode::Cell | Mode::Caption, "table" | "tbody" | "tfoot" | "thead" | "tr") => {
                    if !self.in_table_scope(name) {
                        return true;
                    }
                    self.leave_cell();
                }
                (Mode::Cell | Mode::Caption, _) => return among(OF_TABLE, name),
                (Mode::Columns, _) => {
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
                (Mode::Row, "tr") => {
                    if self.in_table_scope("tr") {
                        self.clear_to("tr template html");
                        self.pop();
                    }
                    return true;
                }
                (Mode::Row, "tbody" | "tfoot" | "thead") => {
                    if !self.in_table_scope(name) {
                        return true;
                    }
                    self.clear_to("tr template html");
                    self.pop();
                }
                (Mode::Rows, "tbody" | "tfoot" | "thead") => {
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
