"""What is true of a measure itself: properties, relations, and how they are decided."""
