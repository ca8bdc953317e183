"""One conformance suite for every engine that counts; Spark runs on a real cluster on loopback."""
