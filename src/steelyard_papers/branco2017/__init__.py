"""The studies of branco2017: three worked cases, and how many different values each measure takes."""
