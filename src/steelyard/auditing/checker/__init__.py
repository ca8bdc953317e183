"""The certificate checker: standard library only, so that it can be read, trusted and run by itself."""
