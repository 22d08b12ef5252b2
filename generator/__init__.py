"""pagefault: an error reference whose every page has been proven by running it.

The package is a house of floors; modules import only downwards. `model` holds the chain of values
(`Source -> Node -> Record -> Observed -> Verified -> Page -> File`) and is the place to start reading.
"""

__version__ = "0.1.0"
