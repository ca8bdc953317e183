"""The studies of mortaz2020: sweeps over easy and hard problems, and model selection on Glass and Satimage."""
