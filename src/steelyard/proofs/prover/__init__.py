"""How an answer is found: exact refutation, computer algebra, SMT, and the certificates they leave."""
