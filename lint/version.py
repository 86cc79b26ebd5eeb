"""The one place that states amdlint's version."""

VERSION = "0.1.0"
