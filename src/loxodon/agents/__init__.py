"""Loxodon in the agent that a person has: `supported` says what goes where, `connect` puts it
there and takes it away, `hooks` answers what an agent's hooks ask; `openclaw` is for OpenClaw."""
