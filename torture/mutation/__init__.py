"""Would the tests notice if the code were wrong? Small faults are planted, one at a time, and the tests that run the line are run."""
