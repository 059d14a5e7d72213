"""`loxodon chat`: a conversation in the terminal, over any OpenAI-compatible model, that remembers.

    lines (what is typed or piped in) ─▶ loop ─▶ commands (/recall, /why, …)
                                           └──▶ conversation ─▶ Memory.assemble, working.Session,
                                                                models.stream
    screen (a terminal, a pipe, or events for a script) ◀── what comes of either

`loop.py` calls these in order.
"""
