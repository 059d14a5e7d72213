"""An OpenAI-compatible endpoint between any client and its model, that remembers.

    client ─▶ app ─▶ requests (what is asked, by whom, in which conversation)
                     remember (recall, within a time limit) ─▶ inject (into the body, by places)
                     upstream (forwards, streams back as it comes) ─▶ gather (what was replied)
                     remember (journal both sides)

`app.py` calls these in order. Whatever fails on the memory's side, the client's own request goes
through as it was sent.
"""
