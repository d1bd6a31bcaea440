"""Whether two files speak of the same prompts: harnesses put hashes in their files so that this can be checked."""

from dataclasses import dataclass, field

from beatpath._errors import ReadError
from beatpath._text import quoted, shown
from beatpath.data.sources.options import Options


@dataclass
class Hashes:
    """The hashes seen so far, by task and item; a second file must have the same, or is refused."""

    options: Options
    seen: dict[tuple[str, str | None], tuple[str, object, bool]] = field(default_factory=dict)

    def see(self, file: str, task: str, item: str | None, value: object, *, weak: bool = False) -> None:
        """Compare what a file says with the first file that said anything; no hash says nothing.

        Two weak hashes are not compared: those of tasks whose items have hashes of their own.

        >>> hashes = Hashes(Options())
        >>> hashes.see("one.json", "maths", None, "3f48")
        >>> hashes.see("two.json", "maths", None, "acd9")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        beatpath._errors.ReadError: every agent must have met the same prompts; task 'maths' has the hash 3f48 in ...
        """
        if not _brief(value) or self.options.columns.get("hashes") == "ignore":
            return
        first, theirs, was_weak = self.seen.setdefault((task, item), (file, value, weak))
        if theirs != value and not (weak and was_weak):
            where = f"task {quoted(task)}" + ("" if item is None else f", item {quoted(item)},")
            ours = f"{_brief(theirs)} in {shown(first, 120)} and {_brief(value)} in {shown(file, 120)}"
            raise ReadError(
                f"every agent must have met the same prompts; {where} has the hash {ours}. "
                "Leave one of the files out, or read both all the same with `--map hashes=ignore`."
            )


def _brief(value: object) -> str:
    """The first digits of a hash, of several joined by a plus; empty where there is none."""
    if isinstance(value, tuple):
        return "+".join(filter(None, map(_brief, value)))
    return shown(value[:12]) if isinstance(value, str) else ""
