"""The version, where every module can read it without loading the package's public names."""

__version__ = "0.3.0"
