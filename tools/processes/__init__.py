"""Work in processes of our own, none of which is left behind."""
