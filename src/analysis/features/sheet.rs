//! A feature vector, with feature names on request.

#[derive(Debug, Default)]
pub struct Sheet {
    /// The feature values, in a fixed order.
    pub values: Vec<f32>,
    /// The features' names, if requested.
    pub names: Option<Vec<&'static str>>,
}

impl Sheet {
    pub(super) fn put(&mut self, name: &'static str, value: f32) {
        self.values.push(if value.is_finite() { value } else { 0.0 });
        self.names.iter_mut().for_each(|names| names.push(name));
    }
}

pub(super) fn flag(b: bool) -> f32 {
    f32::from(u8::from(b))
}

pub(super) fn ratio(x: f32, y: f32) -> f32 {
    if y > 0.0 { x / y } else { 0.0 }
}
