# One target per image; `make image` builds them.
# The bases are arguments so that a release can name them by digest and a site can take them from its own mirror.
ARG NODE_IMAGE=node:24.21.0-trixie-slim
ARG DEBIAN_IMAGE=debian:13.7-slim

FROM ${NODE_IMAGE} AS node

# ---- JavaScript of all services, and their modules -----------------------------------------------------------
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
RUN npm run build && npm ci --omit=dev && chmod -R a+rX,go-w LICENSE package.json node_modules dist

# ---- DocBuilder ----------------------------------------------------------------------------------------------
FROM ${DEBIAN_IMAGE} AS docbuilder
COPY --from=node /usr/local/bin/node /usr/local/bin/node

# LibreOffice without its windows, Java, Base and media players; bubblewrap for the `namespaces` sandbox; tini; libwebp,
# which LibreOffice has as well; the fonts that the contract promises (fonts-liberation is version 2 here); what Node
# links to. Nothing needs a set-uid
# program.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui python3-uno bubblewrap tini libwebp7 \
    fonts-liberation fonts-crosextra-carlito fonts-crosextra-caladea fonts-dejavu-core fonts-noto-core \
    libatomic1 libstdc++6 \
  && apt-get clean \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old \
    /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/log/fontconfig.log \
  && find / -xdev -type f -perm /6000 -exec chmod ug-s {} + \
  && groupadd --gid 10001 svc \
  && useradd --uid 10001 --gid svc --no-log-init --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin svc \
  && install -d -o svc -g svc -m 0700 /var/lib/svc/docbuilder \
  && node --version && python3 -B -c 'import uno'

WORKDIR /opt/svc
COPY --from=build /build/LICENSE /build/package.json ./
COPY --from=build /build/node_modules node_modules
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
