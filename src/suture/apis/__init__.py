"""suture inside model APIs: tools as each API's request declares them, and calls as each API's reply makes them.

`catalog` makes the declarations, `calls` recognizes and answers calls. No SDK is imported: what they hand over, as
dictionaries or as their own objects, is plain data underneath.
"""
