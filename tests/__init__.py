"""The tests mirror the packages; papers/, oracles/ and catalogue/ hold what is checked for all measures together."""
