"""What pages for people show of a memory, each as one value: `Memory` has a verb for each.

today       what was learned, changed and ended since a time, and what waits
graph       people and things, and what ties them
timeline    the journal, with the memories drawn from each turn
related     where a memory was said, and what it has to do with others
curve       the strength of a memory over time
labels      what there is to filter by
settings    every setting, and where it comes from
"""
