"""The command line: parse options, call a function, print the result; one module per verb."""
