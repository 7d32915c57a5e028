"""Small tokenizers: byte-level BPE as it is stored in files of GGUF, and WordPiece."""

import itertools
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

# What GPT-2 takes for a word; digits are cut off one by one before.
_WORD = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
_NO_RANK = 1 << 60


class BytePairs:
    """The tokenizer that a file of GGUF describes in its metadata.

    Args:
        metadata: that of the file.
    """

    def __init__(self, metadata: dict[str, Any]) -> None:
        self.words = list(metadata["tokenizer.ggml.tokens"])
        self.ids = {word: i for i, word in enumerate(self.words)}
        merges = metadata["tokenizer.ggml.merges"]
        self.ranks = {tuple(merge.split(" ")): i for i, merge in enumerate(merges)}
        kinds = metadata["tokenizer.ggml.token_type"]
        self.special = [w for w, kind in zip(self.words, kinds, strict=True) if kind == 3]
        self.end = int(metadata["tokenizer.ggml.eos_token_id"])
        # Bytes that do not print are written as letters further up.
        printing = [*range(33, 127), *range(161, 173), *range(174, 256)]
        others = [byte for byte in range(256) if byte not in printing]
        self.letters = {b: chr(b) for b in printing} | {
            b: chr(256 + i) for i, b in enumerate(others)
        }
        self.bytes = {letter: byte for byte, letter in self.letters.items()}

    def encode(self, text: str) -> list[int]:
        """The numbers of the tokens of a text."""
        out: list[int] = []
        for part in re.split("(" + "|".join(map(re.escape, self.special)) + ")", text):
            if part in self.special:
                out.append(self.ids[part])
                continue
            for piece in re.split(r"(\d)", part):
                for word in _WORD.findall(piece):
                    letters = [self.letters[byte] for byte in word.encode()]
                    out += [self.ids[token] for token in self._merge(letters)]
        return out

    def decode(self, ids: Iterable[int]) -> str:
        """The text of tokens."""
        words = [self.words[int(i)] for i in ids]
        letters = "".join(word for word in words if word not in self.special)
        return bytes(self.bytes[c] for c in letters if c in self.bytes).decode(errors="replace")

    def _merge(self, parts: list[str]) -> list[str]:
        while len(parts) > 1:
            ranks = [self.ranks.get(pair, _NO_RANK) for pair in itertools.pairwise(parts)]
            rank, i = min((rank, i) for i, rank in enumerate(ranks))
            if rank == _NO_RANK:
                break
            parts = [*parts[:i], parts[i] + parts[i + 1], *parts[i + 2 :]]
        return parts


class WordPieces:
    """The tokenizer of BERT without capitals.

    Args:
        words: the vocabulary, in order.
    """

    def __init__(self, words: list[str]) -> None:
        self.ids = {word: i for i, word in enumerate(words)}

    def encode(self, text: str) -> list[int]:
        """The numbers of the tokens of a text, between those of its beginning and its end."""
        plain = unicodedata.normalize("NFD", text.lower())
        plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
        out = [self.ids["[CLS]"]]
        for word in re.findall(r"\w+|[^\w\s]", plain.replace("_", " _ ")):
            out += self._pieces(word)
        return [*out, self.ids["[SEP]"]]

    def _pieces(self, word: str) -> list[int]:
        out, start = [], 0
        while start < len(word):
            stop = len(word)
            while stop > start and self._name(word, start, stop) not in self.ids:
                stop -= 1
            if stop == start:
                return [self.ids["[UNK]"]]
            out.append(self.ids[self._name(word, start, stop)])
            start = stop
        return out

    def _name(self, word: str, start: int, stop: int) -> str:
        return ("##" if start else "") + word[start:stop]
