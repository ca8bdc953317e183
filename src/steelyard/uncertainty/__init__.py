"""How sure are we: intervals, paired differences, and the studies that say how far they can be trusted."""
