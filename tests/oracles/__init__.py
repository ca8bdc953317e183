"""Do the measures give the values that other tools give?"""
