"""Published results that others have shown to be impossible."""
