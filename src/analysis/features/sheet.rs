//! A feature vector, with feature names on request.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Thread, people, subject line, category, time.
    Setting,
    /// Which words are matched, new or gone.
    Words,
    /// Order, subject position, neighbours.
    Shape,
    Entities,
    /// Numbers, identifiers, dates, instances.
    Values,
    /// Words and n-grams with fitted weights of their own.
    Wording,
}

#[derive(Debug, Default)]
pub struct Sheet {
    /// The feature values, in a fixed order.
    pub values: Vec<f32>,
    /// The features' names and groups, if requested.
    pub names: Option<Vec<(&'static str, Group)>>,
}

impl Sheet {
    pub(super) fn put(&mut self, group: Group, name: &'static str, value: f32) {
        self.values.push(if value.is_finite() { value } else { 0.0 });
        if let Some(n) = &mut self.names {
            n.push((name, group));
        }
    }
}

pub(super) fn flag(b: bool) -> f32 {
    f32::from(u8::from(b))
}

pub(super) fn ratio(x: f32, y: f32) -> f32 {
    if y > 0.0 { x / y } else { 0.0 }
}
