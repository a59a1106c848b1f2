"""The sweep's engine: two subjects, every cell of a grid, and what to say of the differences."""
