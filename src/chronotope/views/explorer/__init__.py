"""The explorer: a page on a model, served on this machine or written as a folder that needs no server."""
