"""An example memory: a few months of somebody's talk with an agent, in English and in Chinese.

The talk is in `en.txt` and `zh.txt`; `building.py` makes memories of it the way they are always
made. All people in it are invented.
"""
