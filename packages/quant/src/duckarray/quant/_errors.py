"""The error for files that cannot be read."""

from typing import Any


class FileFormatError(ValueError):
    """A file of weights is truncated, corrupt, or of a kind that cannot be read.

    Attributes:
        path: the file.
        tensor: the name of the tensor that it is about, or None.
        offset: the place in the file, in bytes, or None.

    Example:
        >>> from duckarray.quant import FileFormatError
        >>> FileFormatError("m.gguf", "it is empty", "Download it again.").path
        'm.gguf'
    """

    def __init__(
        self,
        path: Any,
        problem: str,
        advice: str,
        tensor: str | None = None,
        offset: int | None = None,
    ) -> None:
        self.path, self.tensor, self.offset = str(path), tensor, offset
        where = "" if tensor is None else f", tensor `{tensor}`"
        where += "" if offset is None else f", at byte {offset:,}"
        super().__init__(f"`{path}`{where}: {problem}.\n{advice}")

    def __reduce__(self) -> Any:
        return _rebuild, (str(self), self.path, self.tensor, self.offset)


def _rebuild(text: str, path: str, tensor: str | None, offset: int | None) -> FileFormatError:
    error = FileFormatError.__new__(FileFormatError, text)
    error.args = (text,)
    error.path, error.tensor, error.offset = path, tensor, offset
    return error
