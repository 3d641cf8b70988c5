"""Measurements side by side with peers, in one run, printed as ratios. Never a gate: machines differ."""
