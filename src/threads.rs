//! Work that is shared between the cores, with the same results on any number of them.
//!
//! Without the feature `cli`, as in a browser, there is one core.

#[cfg(feature = "cli")]
use rayon::prelude::*;

/// Looks at the numbers below `count`, each core with a state of its own. Results are in the order of the numbers.
pub fn map_with<S, R: Send>(
    count: u32,
    state: impl Fn() -> S + Sync + Send,
    look: impl Fn(&mut S, u32) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "cli")]
    return (0..count).into_par_iter().map_init(state, look).collect();
    #[cfg(not(feature = "cli"))]
    {
        let mut state = state();
        (0..count).map(|number| look(&mut state, number)).collect()
    }
}

/// Looks at all items. Results are in their order.
pub fn map<T: Send, R: Send>(items: Vec<T>, look: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "cli")]
    return items.into_par_iter().map(look).collect();
    #[cfg(not(feature = "cli"))]
    items.into_iter().map(look).collect()
}

/// Result for the first of the items for which anything is found.
pub fn find_first<T: Sync, R: Send>(items: &[T], find: impl Fn(&T) -> Option<R> + Sync + Send) -> Option<R> {
    #[cfg(feature = "cli")]
    return items.par_iter().find_map_first(find);
    #[cfg(not(feature = "cli"))]
    items.iter().find_map(find)
}
