"""The optional model: it decides what the rules could not, and is never needed.

`chat.ChatModel` asks, `tasks` are the questions and what may be believed of the answers,
`grounding` compares an answer with what was said, `ledger` keeps the cost. Nothing here is imported
unless a model is set.
"""
