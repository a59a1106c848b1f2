"""The goldens: outcomes, their manifest, and what differs from them."""
