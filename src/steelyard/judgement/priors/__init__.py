"""Class priors of unlabelled data, estimated under label shift."""
