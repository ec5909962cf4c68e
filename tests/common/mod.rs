//! What several test files share.

use posenc::Level;

/// All levels of this machine.
///
/// `POSENC_REQUIRE_LEVELS`, a list with commas, names levels that must be among them: where a machine is known to have
/// an instruction set, a test that would silently skip it fails instead.
pub(crate) fn levels() -> Vec<Level> {
    let levels: Vec<Level> = Level::available().collect();
    let required = std::env::var("POSENC_REQUIRE_LEVELS").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        assert!(
            levels.iter().any(|level| level.name() == name),
            "level {name} is required, but this machine has {levels:?}"
        );
    }
    levels
}
