"""Do we agree with what the tests of other tools ask of them? Their inputs and outputs are captured once and replayed."""
