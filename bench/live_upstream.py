"""A model's server that says the same to everyone, a word at a time: what `live_proxy.py` measures
against. A process of its own; prints its port.

    python bench/live_upstream.py WORDS SECONDS_BETWEEN
"""

from __future__ import annotations

import asyncio
import json
import sys

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def _chunk(text: str) -> bytes:
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "bench",
        "choices": [{"index": 0, "delta": {"content": text}}],
    }
    event = f"data: {json.dumps(data)}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(event), event)


_END = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, words: int, pause: float
) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            size = next(
                int(line.partition(b":")[2])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length")
            )
            await reader.readexactly(size)
            writer.write(_HEAD)
            for n in range(words):
                writer.write(_chunk(f"word{n} "))
                await writer.drain()
                await asyncio.sleep(pause)
            writer.write(_END)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _main(words: int, pause: float) -> None:
    server = await asyncio.start_server(
        lambda reader, writer: _answer(reader, writer, words, pause), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), float(sys.argv[2])))
