"""How Sphinx makes the documentation site of docs/*.md and the docstrings: `make site`."""

import sys
from pathlib import Path

import mancala_rl

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "mancala-rl"
author = "the mancala-rl developers"
version = release = mancala_rl.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "boards", "stubs"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site", "nets"]

html_theme = "furo"
html_title = f"mancala-rl {release}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
# The pages are for reading, not for downloading as Markdown.
html_copy_source = html_show_sourcelink = False
html_show_copyright = False
pygments_style, pygments_dark_style = "a11y-light", "github-dark"
# Quotes in docstrings are often code.
smartquotes = False

# The headings that links name, by the names GitHub gives them.
myst_heading_anchors = 4

# In docstrings `name` is code, as in Markdown.
default_role = "code"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
# Its docstrings are all that is wanted of mancala_rl.torch.
autodoc_mock_imports = ["torch"]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90

# A name of ours that leads nowhere is an error; other libraries' names are not looked up, which would need a network.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!mancala_rl\.).*")]
