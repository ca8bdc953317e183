"""Readers: counts of label pairs and scores from files, frames, clusters and streams."""
