"""The live service: the report as a page that answers, and the JSON interface beneath it."""
