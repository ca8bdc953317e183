"""Scores: thresholds, class weights, areas under curves, calibration, priors of unlabelled data."""
