"""What a terminal would show."""

from rich.console import Console


def printed(renderable):
    console = Console(width=200, color_system=None, markup=False)
    with console.capture() as caught:
        console.print(renderable)
    return caught.get()
