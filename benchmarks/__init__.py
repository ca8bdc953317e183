"""How fast is Steelyard next to what people use today, on the same data, in the same run?

`python -m benchmarks [topic ...]`, or `make bench`. See docs/benchmarks.md.
"""
