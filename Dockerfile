FROM node:24.21.0-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:24.21.0-slim
RUN --mount=type=bind,from=build,source=/tmp,target=/pack \
    npm install --global --no-audit --no-fund /pack/localpost-*.tgz pg@8.23.1 && mkdir /data && chown node:node /data
COPY scripts/container-health.mjs /usr/local/lib/localpost/
USER node
WORKDIR /home/node
ENV LOCALPOST_HOST=0.0.0.0 LOCALPOST_DIR=/data
VOLUME /data
EXPOSE 8025 1025
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["node", "/usr/local/lib/localpost/container-health.mjs"]
ENTRYPOINT ["localpost"]
