"""Analysis: asks evidence every question once, through the other rooms, and holds the answers; draws nothing."""
