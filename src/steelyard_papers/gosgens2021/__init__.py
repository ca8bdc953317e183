"""What gosgens2021 demands of measures: which measure meets which demand, and which demands exclude each
other."""
