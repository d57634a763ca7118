//! Compares two versions of a memory by property.

use crate::analysis::differences;
use crate::language::fold;
use crate::model::{Claim, DayOrTime, Id, Memory, PropertyChange};
use serde::{Deserialize, Serialize};

/// The differences between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, tsify::Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The first version.
    pub from: Id,
    /// The second version.
    pub to: Id,
    /// The changed values: first those found in the contents, then fields by name.
    pub properties: Vec<PropertyChange>,
}

/// Compares `a` with `b`.
pub fn difference(a: &Memory, b: &Memory) -> Difference {
    let told = || differences(&Claim::from(a), &Claim::from(b)).into_iter().map(|c| c.change).collect();
    let mut properties: Vec<PropertyChange> = if a.content == b.content { Vec::new() } else { told() };
    let mut add = |property: &str, old: Option<String>, new: Option<String>| {
        let is_told = old == new || properties.iter().any(|p| p.old_value == old && p.new_value == new);
        properties.extend(PropertyChange::of(property, old, new).filter(|_| !is_told));
    };
    let value =
        |m: &Memory, name: &str| m.properties.iter().find(|p| fold(&p.name) == fold(name)).map(|p| p.value.clone());
    for p in &a.properties {
        add(&p.name, Some(p.value.clone()), value(b, &p.name));
    }
    for p in b.properties.iter().filter(|p| value(a, &p.name).is_none()) {
        add(&p.name, None, Some(p.value.clone()));
    }
    for (name, x, y) in [("people", &a.people, &b.people), ("entities", &a.entities, &b.entities)] {
        let lacks = |list: &[String], name: &str| list.iter().all(|n| fold(n) != fold(name));
        x.iter().filter(|n| lacks(y, n)).for_each(|gone| add(name, Some(gone.clone()), None));
        y.iter().filter(|n| lacks(x, n)).for_each(|new| add(name, None, Some(new.clone())));
    }
    add("category", Some(a.category.as_str().to_owned()), Some(b.category.as_str().to_owned()));
    let time = |t: Option<DayOrTime>| t.map(|t| t.to_string());
    add("occurredAt", time(Some(a.occurred_at)), time(Some(b.occurred_at)));
    add("validFrom", time(a.valid_from), time(b.valid_from));
    add("validUntil", time(a.valid_until), time(b.valid_until));
    Difference { from: a.id, to: b.id, properties }
}
