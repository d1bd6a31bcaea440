"""Online ratings and counts: state that is updated as battles arrive."""
