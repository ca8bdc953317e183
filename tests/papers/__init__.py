"""Do the measures give the figures that the papers print?"""
