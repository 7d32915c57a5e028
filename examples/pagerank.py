"""Which pages matter in a web that grew by itself, and which links make them matter.

Pages join one by one and link to some that others link to already, so that few have most of the
links: a power law. PageRank is where a surfer is who follows links, and at times starts anew. It is
compared with a solve by SciPy, and differentiated with respect to the weight of every link.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import picture
import scipy.sparse
import scipy.sparse.linalg
from jax import lax

from duckarray import sparse
from duckarray.core import materialization, quaxify

LINKS, DAMPING = 5, 0.85


def web(pages, links=LINKS, seed=0):
    """Barabasi and Albert's graph, as a matrix of a one from each page to those it links to."""
    rng = np.random.default_rng(seed)
    source, target = [], []
    ends = list(range(links))  # every page as often as it is an end of a link
    for page in range(links, pages):
        chosen = sorted({ends[i] for i in rng.integers(0, len(ends), links)})
        source += [page] * len(chosen)
        target += chosen
        ends += [*chosen, *[page] * len(chosen)]
    ones = np.ones(2 * len(source), "float32")
    both = (np.r_[source, target], np.r_[target, source])  # some links back, to go on from anywhere
    return scipy.sparse.coo_array((ones, both), shape=(pages, pages)).tocsr()


@quaxify
def pagerank(links, steps=60):
    """The share of time at each page, by iteration."""
    n = links.shape[0]
    follow = links / links.sum(1)[:, None]

    def step(_, rank):
        return DAMPING * (rank @ follow) + (1 - DAMPING) / n

    return lax.fori_loop(0, steps, step, jnp.full(n, 1 / n))


def by_scipy(links):
    """The same as the solution of a linear system, in double precision."""
    links = links.astype("float64")
    follow = scipy.sparse.diags_array(1 / links.sum(1)) @ links
    n = links.shape[0]
    system = scipy.sparse.eye_array(n) - DAMPING * follow.T
    return scipy.sparse.linalg.gmres(system, np.full(n, (1 - DAMPING) / n), rtol=1e-10)[0]


def main(file: Path = Path("pagerank.svg"), pages: int = 20_000) -> None:
    """Ranks, checks, and draws."""
    matrix = web(pages)
    links = sparse.from_scipy(matrix)
    degrees = np.diff(matrix.indptr)
    print(f"{links!r}")
    print(f"links of a page: median {np.median(degrees):.0f}, most {degrees.max()}")
    with materialization("error"):  # 20 000 by 20 000, dense: 1.6 GB
        rank = jax.jit(pagerank)(links)
        best = int(jnp.argmax(rank))
        # How much a stronger link would raise the best page: one number for each link.
        slope = jax.jit(jax.grad(lambda links: jnp.log(pagerank(links)[best])))(links)
    want = by_scipy(matrix)
    error = np.abs(rank - want).max() / want.max()
    print(f"the best page is {best}, of {degrees[best]} links; error {error:.0e}")
    assert error < 1e-5

    # The derivative by one link, by central differences.
    i, j = links.pattern.indices
    strongest = int(jnp.argmax(slope.data))
    print(f"the link that helps it most is from {i[strongest]} to {j[strongest]}")
    nudge = jnp.zeros(links.nnz).at[strongest].set(0.1)
    above, below = (
        jnp.log(jax.jit(pagerank)(sparse.Sparse(links.data + h, links.pattern))[best])
        for h in (nudge, -nudge)
    )
    finite = (above - below) / 0.2
    print(f"by how much: {slope.data[strongest]:.2e}, by differences {finite:.2e}")
    np.testing.assert_allclose(slope.data[strongest], finite, rtol=0.05)
    assert j[strongest] == best

    order = np.sort(np.asarray(rank))[::-1]
    count = np.unique(np.geomspace(1, pages, 60).astype(int))
    lines = {
        "PageRank": (np.log10(count), np.log10(order[count - 1])),
        "power law": (np.log10(count), np.log10(order[9]) - (np.log10(count) - 1) / 2),
    }
    picture.curves(file, "Rank of a page by its place, logarithms of both", lines)


if __name__ == "__main__":
    main()
