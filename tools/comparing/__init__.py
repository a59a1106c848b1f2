"""What a difference is: whether two answers agree, the smallest example, groups, known ones."""
