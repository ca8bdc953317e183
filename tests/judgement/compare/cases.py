"""Two models of a rare class, one of which loses it."""

import numpy as np

Y = np.repeat(["maj", "mid", "c1"], [5000, 500, 4])
RF = Y.copy()
RF[:310] = "mid"  # the forest calls 310 of the majority class 'mid'
SVM = Y.copy()
SVM[-3:] = "mid"  # the machine loses 3 of the 4 of class 'c1'
