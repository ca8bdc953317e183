"""Does every path lead to the same truth, and does the code survive what the world does to it?

`python -m torture` runs a sample of every part, `python -m torture --full` the runs whose figures docs/reliability.md gives.
"""
