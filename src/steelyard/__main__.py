from steelyard.cli import command

command()
