"""Keeps the pages of the site from loading anything from other hosts. mkdocs.yml names this module.

The theme asks GitHub how many stars a repository has, and notebooks bring MathJax from a server.
"""

from __future__ import annotations

import logging
import re
from typing import Any

_MATHJAX = re.compile(r"<script data-mkdocs-jupyter-mathjax.*?</script>", re.DOTALL)
_STARS = 'data-md-component="source"'  # by which a script of the theme finds the link to replace
_LOADED = re.compile(
    r"""<(?:script|img|iframe|video|audio|source)\b[^>]*\bsrc=["']?(https?:)?//[^>]*>"""
    r"""|<link\b(?=[^>]*rel=["']?(?:stylesheet|preload|preconnect))[^>]*href=["']?(https?:)?//[^>]*>"""
)
_log = logging.getLogger("mkdocs.hooks.site_offline")


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Takes out what would be loaded, and warns, which fails the build, of anything else."""
    out = _MATHJAX.sub("", output).replace(_STARS, "")
    for found in _LOADED.finditer(out):
        _log.warning("%s loads from another host: %s", page.file.src_uri, found[0])
    return out
