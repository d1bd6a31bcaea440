"""``python -m beatpath`` and ``beatpath``: the command line, loaded where an interrupt ends it in good order too."""

import os

INTERRUPT = 130  # as every program that an interrupt ends
WAIT = ("OPENBLAS_THREAD_TIMEOUT", "20")  # threads of BLAS that have nothing to do sleep after 2^20 cycles


def main() -> None:
    """Load and run the command line."""
    os.environ.setdefault(*WAIT)  # before numpy is loaded: while verbs load and read there is nothing for them to do
    try:
        from beatpath.cli.main import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPT) from None


if __name__ == "__main__":
    main()
