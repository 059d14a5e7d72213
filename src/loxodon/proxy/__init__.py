"""An endpoint between any client of OpenAI's or Anthropic's API and its model, that remembers.

    client ─▶ app ─▶ requests (what is asked, by whom)
                     exchange (recall, within a time limit) ─▶ inject (into the body)
                     upstream (forwards, streams back as it comes)
                     exchange (both sides of it in the journal; what was replied: replies)

Whatever fails on the memory's side, the client's own request goes through as it was sent.
"""
