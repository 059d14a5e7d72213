"""The whole library over HTTP and JSON: `loxodon serve`.

`operations` is the table of what can be asked of a space, `pages` of the server itself; requests
are checked by them (`fields`), and the OpenAPI description (`openapi`) is made from them. `app`
answers, `guard` says who may ask, `bodies` reads requests and writes answers; `server` runs it.
`loxodon.client` speaks to it.
"""
