"""The memory as tools for any agent that speaks MCP: `loxodon mcp`.

`tools` has what an agent can call, `shapes` how results are told, `asking` what the user allows.
None knows of the official SDK, which takes most of a second to load: `server` puts them behind it.
"""
