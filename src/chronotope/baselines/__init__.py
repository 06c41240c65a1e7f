"""Other ways to the same object: the methods that the paper compares with, and some that came after."""
