"""``python -m beatpath`` and ``beatpath``: the command line, loaded where an interrupt ends it in good order too."""

INTERRUPT = 130  # as every program that an interrupt ends


def main() -> None:
    """Load and run the command line."""
    try:
        from beatpath.cli.main import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPT) from None


if __name__ == "__main__":
    main()
