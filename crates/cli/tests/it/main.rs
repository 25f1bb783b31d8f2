//! lore as its users meet it: the real binary, its output and exit status.
