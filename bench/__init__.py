"""Measurements of suture and its peers in one run, printed as ratios. Never a CI gate: machines differ."""
