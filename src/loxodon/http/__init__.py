"""The whole library over HTTP and JSON: `loxodon serve`.

`operations` is the one table of what can be asked; requests are checked by it (`fields`), and the
OpenAPI description (`openapi`) is made from it. `app` answers, `guard` says who may ask, `bodies`
reads requests and writes answers, `health` tells how the server is; `server` runs it.
`loxodon.client` speaks to it.
"""
