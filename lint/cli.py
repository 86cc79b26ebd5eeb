"""The command line (under construction)."""
def main() -> None:
    raise SystemExit(2)
