"""Every metric of one confusion matrix."""
