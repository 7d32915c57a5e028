"""Exact positive numbers: a root of a rational times a power of pi.

What a unit is of the SI unit is such a number: `deg` is pi/180, the square root of `km` is the root
of 1000. Products and powers stay exact, so that equal units are recognised.
"""

import math
from fractions import Fraction
from typing import NamedTuple


class Scale(NamedTuple):
    """The number `ratio**(1/root) * pi**pi`, in lowest terms."""

    ratio: Fraction
    root: int
    pi: Fraction

    def times(self, other: "Scale") -> "Scale":
        """The product."""
        root = math.lcm(self.root, other.root)
        ratio = self.ratio ** (root // self.root) * other.ratio ** (root // other.root)
        return _reduced(ratio, root, self.pi + other.pi)

    def power(self, exponent: Fraction) -> "Scale":
        """This number raised to a rational power."""
        ratio = self.ratio**exponent.numerator
        return _reduced(ratio, self.root * exponent.denominator, self.pi * exponent)

    def __float__(self) -> float:
        ratio = self.ratio
        try:
            number = ratio.numerator / ratio.denominator
        except OverflowError:
            number = math.inf
        if self.root != 1:
            number = _root_as_float(ratio, self.root)
        return number * math.pi ** float(self.pi) if self.pi else number


def scale(number: int | str | Fraction, pi: int = 0) -> Scale:
    """A rational number times a power of pi.

    Example:
        >>> float(scale("0.5"))
        0.5
    """
    return Scale(Fraction(number), 1, Fraction(pi))


def _reduced(ratio: Fraction, root: int, pi: Fraction) -> Scale:
    for p in _prime_factors(root):
        top, bottom = _exact_root(ratio.numerator, p), _exact_root(ratio.denominator, p)
        if top and bottom:
            ratio, root = Fraction(top, bottom), root // p
    return Scale(ratio, root, pi)


def _root_as_float(ratio: Fraction, root: int) -> float:
    # Logarithms of integers do not overflow where floats would.
    guess = math.exp((math.log(ratio.numerator) - math.log(ratio.denominator)) / root)
    if not 1e-300 < float(ratio) < 1e300:
        return guess
    return float(float(ratio) ** (1 / root))


def _prime_factors(n: int) -> list[int]:
    found, p = [], 2
    while n > 1:
        if n % p:
            p += 1
        else:
            found.append(p)
            n //= p
    return found


def _exact_root(n: int, k: int) -> int:
    """The integer whose `k`-th power is `n`, or 0."""
    high = 1 << -(-n.bit_length() // k)
    while True:
        lower = ((k - 1) * high + n // high ** (k - 1)) // k
        if lower >= high:
            return high if high**k == n else 0
        high = lower


ONE_SCALE = scale(1)
