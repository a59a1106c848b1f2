"""What is meant to be fast, measured on this machine as ratios."""
