"""Re-implementations of upstream code, in our own words, for records to run."""
