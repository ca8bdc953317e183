"""Can these printed numbers be true? Exact bounds and an integer search over all matrices they could come
from."""
