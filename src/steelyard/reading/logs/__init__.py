"""Logs of LLM evaluations: one module for each tool that wrote them, all of the same shape."""
