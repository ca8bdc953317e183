"""How does a measure write itself in JavaScript? The body is run on quantities that note what is done with them."""
