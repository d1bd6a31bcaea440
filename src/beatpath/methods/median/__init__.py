"""Rules that go by a median: of the places that ballots give an agent, of the grades that tasks give it."""
