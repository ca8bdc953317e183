"""What must hold of every measure, whichever it is?"""
