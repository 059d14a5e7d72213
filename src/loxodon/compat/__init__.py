"""Loxodon in the place of other memories: what programs written for them call, as they call it.

loxodon.compat.mem0       `Memory` and `AsyncMemory` of mem0
loxodon.compat.langgraph  a `BaseStore` for LangGraph
loxodon.compat.agents     a `Session` for the OpenAI Agents SDK
"""
