# syntax=docker/dockerfile:1

# Countinghouse: built on Debian, run on an image that contains the binary, the C library and the certificates of
# authorities, but no shell and no package manager.
#
#   docker build -t countinghouse .
#   docker run --rm countinghouse --help
#
# `--build-arg FEATURES=` leaves out logos in a bucket (s3) and traces (otlp).
#
# compose.yaml runs it with PostgreSQL, Redis and a proxy that terminates TLS.

FROM rust:1.95.0-slim-bookworm AS build
# The toolchain of the image, without the components that only developers need (rust-toolchain.toml).
ENV RUSTUP_TOOLCHAIN=1.95.0
WORKDIR /src
COPY . .
ARG FEATURES=s3,otlp
# Downloaded and compiled dependencies are kept between builds, even when the source changes.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --package app --features "$FEATURES" \
    && install -D -m 0755 target/dist/countinghouse /image/usr/local/bin/countinghouse
# The data directory belongs to the service's user, `nonroot` of the image below.
RUN install -d -m 0700 -o 65532 -g 65532 /image-data/data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /image/ /
COPY --from=build --chown=65532:65532 /image-data/ /
ENV COUNTINGHOUSE_DATA_DIR=/data \
    COUNTINGHOUSE_LISTEN=0.0.0.0:8080 \
    COUNTINGHOUSE_LOG_FORMAT=json
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["/usr/local/bin/countinghouse", "doctor", "--serving"]
ENTRYPOINT ["/usr/local/bin/countinghouse"]
# Outside loopback the service requires TLS: set COUNTINGHOUSE_BEHIND_TLS_PROXY=true behind a proxy, or a certificate and
# its key (COUNTINGHOUSE_TLS_CERT_FILE, COUNTINGHOUSE_TLS_KEY_FILE). Without either it stops with an error.
CMD ["serve"]
