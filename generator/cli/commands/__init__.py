"""The commands: a module of this folder defines the one that has its name."""
