"""Who answers: a copy of the reference in this process, a tree of git, a program."""
