"""What stands around every verb: the limits of its options, how loud it is, how it ends, and the first words."""
