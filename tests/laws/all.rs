//! The laws of posenc: plain functions that take plain inputs and assert.
//! They stand apart from whatever draws the inputs, so that property tests and fuzz targets share them.

pub(crate) mod absolute;
pub(crate) mod bias;
pub(crate) mod bits;
pub(crate) mod case;
pub(crate) mod elements;
pub(crate) mod kinds;
pub(crate) mod layout;
pub(crate) mod paths;
pub(crate) mod relative;
pub(crate) mod rotation;
pub(crate) mod tables;
