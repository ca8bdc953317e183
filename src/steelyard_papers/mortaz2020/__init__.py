"""mortaz2020: the imbalance accuracy metric, sweeps over easy and hard problems, and model selection."""
