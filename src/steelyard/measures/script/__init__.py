"""How does a measure write itself in JavaScript? Its body is run on quantities that note what is done."""
