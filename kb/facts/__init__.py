"""Facts as data with sources."""
