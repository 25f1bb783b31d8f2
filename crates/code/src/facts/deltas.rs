//! How ids and places are written inside stored facts: as the distance to the
//! one of their kind before. Most follow each other, and steps of one pack far
//! better than numbers that never come again.
//!
//! Serde gives a value no way to know what came before it, so that is kept
//! beside the thread while facts are written or read, and only then: at any
//! other time numbers are written as they are.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::Cell;

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with distances in place of numbers.
pub fn with_distances<T>(work: impl FnOnce() -> T) -> T {
    /// Off again also when `work` panics: the thread may go on to other work.
    struct Off;
    impl Drop for Off {
        fn drop(&mut self) {
            IS_ON.set(false);
        }
    }
    IS_ON.set(true);
    for last in [def::reset, expr::reset, ty::reset, line::reset, byte::reset] {
        last();
    }
    let _off = Off;
    work()
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{Cell, Deserialize, Deserializer, IS_ON, Serialize, Serializer};

            thread_local! {
                static LAST: Cell<u32> = const { Cell::new(0) };
            }

            pub(super) fn reset() {
                LAST.set(0);
            }

            pub fn serialize<S: Serializer>(value: &u32, to: S) -> Result<S::Ok, S::Error> {
                if !IS_ON.get() {
                    return value.serialize(to);
                }
                let distance = value.wrapping_sub(LAST.replace(*value)) as i32;
                distance.serialize(to)
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
                if !IS_ON.get() {
                    return u32::deserialize(from);
                }
                let value = LAST.get().wrapping_add(i32::deserialize(from)? as u32);
                LAST.set(value);
                Ok(value)
            }
        }
    )*};
}

kinds! {
    /// Definitions.
    def
    /// Expressions.
    expr
    /// Types.
    ty
    /// Numbers of lines.
    line
    /// Places in bytes.
    byte
}
