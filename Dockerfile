FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN mkdir /out && npm ci && npm pack --pack-destination /out

FROM node:24-bookworm-slim
COPY --from=build /out /out
RUN npm install --global --no-audit --no-fund /out/bot-relay-*.tgz && rm -rf /out /root/.npm && install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 RELAY_DATA_DIR=/data RELAY_SANDBOX=off
# Not root. The root file system may be read-only: only /data is written.
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["bot-relay"]
CMD ["start"]
