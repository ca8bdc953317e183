"""The papers' experiments as studies that anyone can run again."""
