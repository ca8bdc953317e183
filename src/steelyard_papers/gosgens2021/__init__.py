"""Properties required by gosgens2021: properties of measures and
which of them exclude each other."""
