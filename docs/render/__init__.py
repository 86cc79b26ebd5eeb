"""Turns entries and facts into Markdown pages."""
