"""An endpoint between any client of OpenAI's or Anthropic's API and its model, that remembers.

    client ─▶ app ─▶ requests (what is asked, by whom, in which conversation)
                     remember (recall, within a time limit) ─▶ inject (into the body, by places)
                     upstream (forwards, by a connection) ─▶ wire (streams back as it comes)
                     keeping (journals both sides in time; what was replied: gather)

`app.py` calls these in order. Whatever fails on the memory's side, the client's own request goes
through as it was sent.
"""
