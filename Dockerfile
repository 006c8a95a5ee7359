# One target per image; `make image` builds them.
# The bases are arguments so that a release can name them by digest and a site can take them from its own mirror.
ARG NODE_IMAGE=node:24.21.0-trixie-slim
ARG DEBIAN_IMAGE=debian:13.7-slim
ARG NGINX_IMAGE=nginx:1.30.5

FROM ${NODE_IMAGE} AS node

# ---- Modules that run, apart from those that build: they change less often than the code ---------------------
FROM node AS modules
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && chmod -R a+rX,go-w node_modules

# ---- JavaScript of all services ------------------------------------------------------------------------------
FROM node AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY LICENSE tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/
COPY schemas schemas
COPY src src
COPY cmd cmd
# A checkout may have come with modes that only its owner can read.
RUN npm run build && chmod -R a+rX,go-w LICENSE package.json dist

# ---- DocBuilder ----------------------------------------------------------------------------------------------
FROM ${DEBIAN_IMAGE} AS docbuilder
COPY --from=node /usr/local/bin/node /usr/local/bin/node

# LibreOffice without its windows, Java, Base and media players (Math draws the formulas in documents); bubblewrap for the
# `namespaces` sandbox; tini; libwebp, which LibreOffice has as well; the fonts that the contract promises (fonts-liberation
# is version 2 here), and those for Chinese, Japanese, Korean and emoji, whose text is boxes or missing without them;
# what Node links to. Nothing needs a set-uid program. Layers keep no fractions of a second, and fontconfig's cache counts only
# for folders of exactly its time: without it every worker reads all fonts when it starts.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-math-nogui \
    python3-uno bubblewrap tini libwebp7 \
    fonts-liberation fonts-crosextra-carlito fonts-crosextra-caladea fonts-dejavu-core fonts-noto-core \
    fonts-noto-cjk fonts-noto-color-emoji \
    libatomic1 libstdc++6 \
  && find /usr/share/fonts -type d -exec touch -d "@$(date +%s)" {} + && fc-cache \
  && apt-get clean \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old \
    /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/log/fontconfig.log \
  && find / -xdev -type f -perm /6000 -exec chmod ug-s {} + \
  && groupadd --gid 10001 svc \
  && useradd --uid 10001 --gid svc --no-log-init --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin svc \
  && install -d -o svc -g svc -m 0700 /var/lib/svc/docbuilder \
  && node --version && python3 -B -c 'import uno'

WORKDIR /opt/svc
COPY --from=modules /build/node_modules node_modules
COPY --from=build /build/LICENSE /build/package.json ./
COPY --from=build /build/dist/schemas dist/schemas
COPY --from=build /build/dist/src dist/src
COPY --from=build /build/dist/cmd/docbuilder dist/cmd/docbuilder

# As src/common/node-flags.ts says.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
# By number, so that Kubernetes can tell that it is not root.
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "\
const port = /\\d+$/.exec(process.env.SVC_DOCBUILDER_LISTEN || '8080')[0]; \
fetch(`http://127.0.0.1:${port}/v1/status`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1));"]
# As process 1 Node would not collect processes whose parent was killed. -s: nor where something else is process 1.
ENTRYPOINT ["tini", "-s", "--", "node", "--max-semi-space-size=4", "--enable-source-maps", "dist/cmd/docbuilder/main.js"]

# Last, since they differ from build to build.
ARG DEBIAN_IMAGE
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc/docbuilder" \
  org.opencontainers.image.description="SVC DocBuilder: converts office documents over HTTP" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${DEBIAN_IMAGE}"

# ---- Root of the images that hold nothing but Node -------------------------------------------------------------
# Node, the libraries it links to and what name resolution reads: no shell, no package manager. status.d says which
# packages the libraries came in, where tools that look for known weaknesses read it.
FROM node AS node-root
RUN mkdir -p /rootfs/etc /rootfs/tmp /rootfs/var/lib/svc /rootfs/var/lib/dpkg/status.d /rootfs/usr/local/bin \
  && libraries=$(ldd /usr/local/bin/node | grep -o '/[^ ]*') \
  && cp --parents -L $libraries /rootfs \
  && dpkg-query -S $(realpath $libraries) | cut -d : -f 1 | sort -u | while read -r package; do \
    dpkg-query -s "$package" > "/rootfs/var/lib/dpkg/status.d/$package"; done \
  && cp /etc/os-release /rootfs/etc/ \
  && cp /usr/local/bin/node /rootfs/usr/local/bin/ \
  && echo 'svc:x:10001:10001::/nonexistent:/usr/sbin/nologin' > /rootfs/etc/passwd \
  && echo 'svc:x:10001:' > /rootfs/etc/group \
  && echo 'hosts: files dns' > /rootfs/etc/nsswitch.conf \
  && chmod 1777 /rootfs/tmp \
  && install -d -m 0700 /gate-data/gate \
  && chroot /rootfs /usr/local/bin/node --version

# ---- Gate ----------------------------------------------------------------------------------------------------
FROM scratch AS gate
COPY --from=node-root /rootfs /
COPY --from=node-root --chown=10001:10001 /gate-data /var/lib/svc

WORKDIR /opt/svc
COPY --from=modules /build/node_modules node_modules
COPY --from=build /build/LICENSE /build/package.json ./
COPY --from=build /build/dist/schemas dist/schemas
COPY --from=build /build/dist/src dist/src
COPY --from=build /build/dist/cmd/gate dist/cmd/gate

# As src/common/node-flags.ts says.
ENV PATH=/usr/local/bin NODE_ENV=production MALLOC_ARENA_MAX=2
USER 10001:10001
EXPOSE 8080 8081
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "\
const port = /\\d+$/.exec(process.env.SVC_GATE_LISTEN || '8080')[0]; \
fetch(`http://127.0.0.1:${port}/svc/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1));"]
# It starts no processes, so it needs nobody to collect them.
ENTRYPOINT ["node", "--max-semi-space-size=1", "--enable-source-maps", "dist/cmd/gate/main.js"]

ARG NODE_IMAGE
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc/gate" \
  org.opencontainers.image.description="SVC gate: embeds the editor, keeps versions, sends callbacks" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${NODE_IMAGE}"

# ---- Controller ----------------------------------------------------------------------------------------------
FROM scratch AS controller
COPY --from=node-root /rootfs /

WORKDIR /opt/svc
COPY --from=modules /build/node_modules node_modules
COPY --from=build /build/LICENSE /build/package.json ./
COPY --from=build /build/dist/schemas dist/schemas
COPY --from=build /build/dist/src dist/src
COPY --from=build /build/dist/cmd/controller dist/cmd/controller

# It rests nearly all of the time, so memory counts for more than speed: V8 collects sooner and gives back what it frees.
ENV PATH=/usr/local/bin NODE_ENV=production MALLOC_ARENA_MAX=2
USER 10001:10001
EXPOSE 8081
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "\
const port = /\\d+$/.exec(process.env.SVC_CONTROLLER_LISTEN || '8081')[0]; \
fetch(`http://127.0.0.1:${port}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1));"]
ENTRYPOINT ["node", "--optimize-for-size", "--enable-source-maps", "dist/cmd/controller/main.js"]

ARG NODE_IMAGE
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc/controller" \
  org.opencontainers.image.description="SVC controller: makes of an SvcInstance all that runs it" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${NODE_IMAGE}"

# ---- Front ---------------------------------------------------------------------------------------------------
# nginx listens above 1024.
FROM ${NGINX_IMAGE} AS front
COPY LICENSE /opt/svc/LICENSE
COPY ingress/front/ask.conf ingress/front/*.html ingress/front/nginx.conf.template ingress/front/start.sh /opt/svc/front/
RUN chmod -R a+rX,go-w /opt/svc

# All that is written goes to /tmp. The upstreams' names are for whoever runs it to say.
ENV SVC_FRONT_PREFIX=/tmp SVC_FRONT_DIR=/opt/svc/front SVC_FRONT_LOG=/dev/stdout SVC_FRONT_WORKERS=2 \
  SVC_FRONT_ADDRESS=0.0.0.0 SVC_FRONT_PORT=8080 SVC_FRONT_OPEN_PORT=8081 SVC_FRONT_ASK_PORT=8082 \
  SVC_FRONT_GATE=gate:8080 SVC_FRONT_GATE_INTERNAL=gate:8081 SVC_FRONT_DOCBUILDER=docbuilder:8080 \
  SVC_FRONT_EDITOR=editor:9980 SVC_FRONT_RESOLVER= \
  SVC_FRONT_TRUSTED_EDGES= SVC_FRONT_TRUSTED_CHAIN=on SVC_FRONT_REQUESTS_PER_ADDRESS=2000 SVC_FRONT_REQUESTS=4000
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD curl -fsS -o /dev/null "http://127.0.0.1:${SVC_FRONT_ASK_PORT}/ready"
# In its own time: answers that have begun are ended.
STOPSIGNAL SIGQUIT
# The base may have an entry point of its own, which is not needed.
ENTRYPOINT ["sh", "/opt/svc/front/start.sh"]
CMD []

ARG NGINX_IMAGE
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc/front" \
  org.opencontainers.image.description="SVC front: the routing table, as nginx" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.base.name="${NGINX_IMAGE}"
