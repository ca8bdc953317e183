"""What can be done with scores: thresholds, class weights, areas, and how sure they are."""
