"""Many sources, one result: how often does each pair of labels occur?"""
