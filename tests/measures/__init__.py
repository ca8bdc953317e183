"""The parts the measures are made of."""
