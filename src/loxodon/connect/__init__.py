"""Loxodon in the agent that a person has: `agents` says what goes where, `plan` puts it there and
takes it away, `hook` answers what an agent's hooks ask."""
