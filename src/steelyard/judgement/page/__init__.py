"""Parts that the pages of several capabilities share: confusion matrices, forest rows, What if."""
