"""What `goldens arms` does: arms measured on a data set through a memvara."""
