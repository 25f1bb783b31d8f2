//! Histories of single symbols, told by small repositories.
