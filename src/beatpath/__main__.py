"""``python -m beatpath`` and ``beatpath``.

They run the command line, imported so that an interrupt during the import exits cleanly.
"""

INTERRUPT = 130  # the status of a process that SIGINT ends


def main() -> None:
    """Import and run the command line."""
    try:
        from beatpath.cli.main import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPT) from None


if __name__ == "__main__":
    main()
