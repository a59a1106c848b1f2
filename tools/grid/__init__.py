"""The values each knob is swept over, and the combinations they make."""
