"""The command `clgp`."""
