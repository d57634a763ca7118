//! Enums that are strings on the wire.

/// An enum and its wire strings in one place.
macro_rules! wire {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $wire:literal,)+ }) => {
        $(#[$about])*
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// The wire string.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $wire,)+ }
            }
        }
    };
}
pub(crate) use wire;
