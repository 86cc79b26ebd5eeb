"""Project files: requirements, containers, scripts, build files and training configs.

All readers work on the file decoded as Latin-1, so that an index into the text is a byte offset into
the source. ``file.ProjectFile`` is what rules see.
"""
