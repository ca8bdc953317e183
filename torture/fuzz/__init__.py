"""Does every path to an answer give the same answer? Drawn cases go down all of them, and a plain one in fractions decides."""
