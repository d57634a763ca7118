//! The standard's adoption agency: end tags of formatting that other elements cross.
//!
//! It never looks further than eight elements.

use super::*;

impl Builder {
    /// The standard's adoption agency: an end tag of formatting that other elements cross.
    pub(super) fn adopt(&mut self, name: &str) {
        let listed =
            |this: &Self, node: u32| this.formatting.iter().rposition(|o| o.as_ref().is_some_and(|o| o.node == node));
        if self.current().is(name) && listed(self, self.current().node).is_none() {
            return self.pop();
        }
        for _ in 0..8 {
            let since = self.since_fence();
            let found = self.formatting[since..].iter().rposition(|o| o.as_ref().is_some_and(|o| o.is(name)));
            let Some(place) = found.map(|i| i + since) else { return self.end_other(name) };
            let Some(formatting) = self.formatting[place].clone() else { return };
            let Some(at) = self.stack.iter().rposition(|o| o.node == formatting.node) else {
                self.formatting.remove(place);
                return;
            };
            if self.stack[at + 1..].iter().any(|o| o.fence) {
                return;
            }
            let Some(block) = (at + 1..self.stack.len()).find(|i| self.stack[*i].special) else {
                while self.stack.len() > at.max(1) {
                    self.pop();
                }
                self.formatting.remove(place);
                return;
            };
            let ancestor = self.stack[at.saturating_sub(1)].node;
            let furthest = self.stack[block].node;
            let mut bookmark = place;
            let (mut last, mut above) = (furthest, block);
            let mut count = 0;
            loop {
                above -= 1;
                if above == at {
                    break;
                }
                count += 1;
                let node = self.stack[above].node;
                let mut entry = listed(self, node);
                if let Some(gone) = entry.filter(|_| count > 3) {
                    self.formatting.remove(gone);
                    bookmark -= usize::from(gone < bookmark);
                    entry = None;
                }
                let Some(entry) = entry else {
                    self.stack.remove(above);
                    continue;
                };
                let Some(copy) = self.copy(node) else { return };
                self.stack[above].node = copy;
                self.formatting[entry] = Some(self.stack[above].clone());
                if last == furthest {
                    bookmark = entry + 1;
                }
                self.tree.insert(last, copy, NONE);
                last = copy;
            }
            let (parent, before) = match self.tree.element(ancestor) {
                Some(e) if among("table tbody tfoot thead tr", &e.name) => {
                    let (stack, foster) = (self.stack.split_off(at), self.foster);
                    self.foster = true;
                    let place = self.place();
                    self.foster = foster;
                    self.stack.extend(stack);
                    place
                }
                _ => (ancestor, NONE),
            };
            self.tree.insert(last, parent, before);
            let Some(copy) = self.copy(formatting.node) else { return };
            while self.tree.node(furthest).first != NONE {
                let child = self.tree.node(furthest).first;
                self.tree.insert(child, copy, NONE);
            }
            self.tree.insert(copy, furthest, NONE);
            let entry = OpenElement { node: copy, ..formatting.clone() };
            if let Some(old) = listed(self, formatting.node) {
                self.formatting.remove(old);
                bookmark -= usize::from(old < bookmark);
            }
            let bookmark = bookmark.min(self.formatting.len());
            self.formatting.insert(bookmark, Some(entry.clone()));
            self.stack.retain(|o| o.node != formatting.node);
            let below = self.stack.iter().rposition(|o| o.node == furthest).map_or(self.stack.len(), |i| i + 1);
            self.stack.insert(below, entry);
        }
    }

    pub(super) fn copy(&mut self, node: u32) -> Option<u32> {
        if self.copies == 0 {
            self.darken();
            return None;
        }
        self.copies -= 1;
        let element = self.tree.element(node)?.clone();
        Some(self.tree.add(Content::Element(element)))
    }
}
