"""What stands around every verb: its options and their limits, how loud it is, what it prints, how it ends, and the first words."""
