"""Models compared by their values on many data sets: ranks, tests of them, and every pair."""
