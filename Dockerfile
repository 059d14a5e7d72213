# docker build -t loxodon .      `make try-image` runs these steps without Docker.
FROM debian:trixie-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates python3-venv
RUN python3 -m venv /opt/loxodon
WORKDIR /src
COPY requirements/build.lock requirements/server.lock requirements/
RUN python3 -m venv /opt/build && /opt/build/bin/pip install --require-hashes -r requirements/build.lock
RUN /opt/loxodon/bin/pip install --require-hashes -r requirements/server.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY licenses licenses
COPY src src
RUN /opt/build/bin/python -m hatchling build -t wheel && /opt/loxodon/bin/pip install --no-deps dist/*.whl
RUN /opt/loxodon/bin/pip uninstall --yes pip

FROM debian:trixie-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates python3 && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 loxodon && useradd --uid 10001 --gid 10001 --home-dir /var/lib/loxodon --create-home loxodon
COPY --from=build /opt/loxodon /opt/loxodon
ENV PATH=/opt/loxodon/bin:/usr/local/bin:/usr/bin:/bin LOXODON_HOME=/var/lib/loxodon LANG=C.UTF-8 PYTHONUNBUFFERED=1
USER 10001:10001
VOLUME /var/lib/loxodon
EXPOSE 8710
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python3", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8710/livez', timeout=4)"]
ENTRYPOINT ["loxodon"]
# Other machines reach it, so it starts only with a token: LOXODON_TOKEN
CMD ["serve", "--host", "0.0.0.0"]
