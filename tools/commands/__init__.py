"""One thin module per subcommand: it reads options, calls a room, prints, returns an exit code."""
