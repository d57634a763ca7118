//! A fixed-size cache with first-in, first-out eviction.

/// The latest values by key, at most `MOST`.
#[derive(Debug, Clone)]
pub(super) struct Recent<V, const MOST: usize> {
    kept: Vec<(String, V)>,
    next: usize,
}

impl<V, const MOST: usize> Default for Recent<V, MOST> {
    fn default() -> Self {
        Self { kept: Vec::new(), next: 0 }
    }
}

impl<V: Clone, const MOST: usize> Recent<V, MOST> {
    pub fn of(&self, key: &str) -> Option<V> {
        self.kept.iter().find(|(k, _)| k == key).map(|(_, value)| value.clone())
    }

    pub fn forget(&mut self, key: &str) {
        self.kept.retain(|(k, _)| k != key);
        self.next = 0;
    }

    pub fn put(&mut self, key: &str, value: V) {
        if let Some(kept) = self.kept.iter_mut().find(|(k, _)| k == key) {
            kept.1 = value;
        } else if self.kept.len() < MOST {
            self.kept.push((key.to_owned(), value));
        } else {
            self.kept[self.next] = (key.to_owned(), value);
            self.next = (self.next + 1) % MOST;
        }
    }
}
