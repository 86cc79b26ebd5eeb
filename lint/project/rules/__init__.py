"""The rules of this language, one file each; each file registers one rule with lint.rules.rule."""
