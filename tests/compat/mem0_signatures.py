"""How the methods of mem0's `Memory` are called, by version, as its packages declare them."""

from __future__ import annotations

from collections.abc import Mapping

SIGNATURES: Mapping[str, Mapping[str, str]] = {
    "0.1.60": {
        "add": "messages, user_id, agent_id, run_id, metadata, filters, prompt",
        "get": "memory_id",
        "get_all": "user_id, agent_id, run_id, limit",
        "search": "query, user_id, agent_id, run_id, limit, filters",
        "update": "memory_id, data",
        "delete": "memory_id",
        "delete_all": "user_id, agent_id, run_id",
        "history": "memory_id",
        "reset": "",
        "chat": "query",
        "from_config": "config_dict",
    },
    "1.0.0": {
        "add": "messages, *, user_id, agent_id, run_id, metadata, infer, memory_type, prompt",
        "get": "memory_id",
        "get_all": "*, user_id, agent_id, run_id, filters, limit",
        "search": "query, *, user_id, agent_id, run_id, limit, filters, threshold, rerank",
        "update": "memory_id, data",
        "delete": "memory_id",
        "delete_all": "user_id, agent_id, run_id",
        "history": "memory_id",
        "reset": "",
        "chat": "query",
        "from_config": "config_dict",
    },
    "2.2.1": {
        "add": "messages, *, user_id, agent_id, run_id, metadata, timestamp, expiration_date, "
        "infer, memory_type, prompt",
        "get": "memory_id",
        "get_all": "*, filters, top_k, show_expired",
        "search": "query, *, top_k, filters, threshold, rerank, explain, reference_date, "
        "show_expired",
        "update": "memory_id, text, metadata, expiration_date, data",
        "delete": "memory_id",
        "delete_all": "user_id, agent_id, run_id",
        "history": "memory_id",
        "reset": "",
        "close": "",
        "chat": "query",
        "from_config": "config_dict",
    },
}
"""What stands before the `*` can be given by place; the rest by name only."""
