"""What lies on disk: arms, cases and questions, data sets, git objects, whole files."""
