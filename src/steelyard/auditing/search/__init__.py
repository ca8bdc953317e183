"""Branch and bound over integers, interval arithmetic, hill climbing and Farkas certificates."""
