"""The two learners of mullick2020, section 5.2, that no library has: NBSVM and Dual-LexiBoost, as
scikit-learn estimators."""
