"""The memory as tools for any agent that speaks MCP: `loxodon mcp`.

`tools` is the one table of what an agent can call; `shapes` is how results are told. Neither knows
of the official SDK, which takes most of a second to load: `server` puts them behind it, `pages` has
the resources and the prompt, `transports` speaks over standard input and output (`lines`) or HTTP
(`door`).
"""
