/** Starter files, commented, that load without problems. Spec: docs/contract/identity.md §10.2, docs/contract/intake.md §8. */
import { randomBytes } from 'node:crypto';
import { LISTENER_ADDRESSES, defaults } from './defaults.ts';

/**
 * A platform file for development: one node, its own token issuer, a new bootstrap token. `random` gives the token's bytes (tests pass their own).
 */
export function generateBootstrapDev(random: (bytes: number) => Buffer = randomBytes): string {
  const token = random(24).toString('base64url');
  return `# Skep, a platform file for development. Serve it with:  skep -f <this file>
# Every key that is left out has its default; \`skep config show -f <this file>\` prints them all.
# \${NAME} reads the environment. Relative paths start at this file.

# The tenants of this node: one entry per position, customer:product:env:tenant.
hives:
  tenant: []
  # - key: acme:atlas:dev:main
  #   meta: { localdir: ./products/atlas }      # a product checkout: product.yaml, entities/
  #   datastores: { default: { driver: lmdb } } # add "dedicated: true" for an environment of its own

# Whose tokens are honoured. "self" is this node; without this key every bearer token gets 401.
jwks:
  issuers:
    iam: self
  # check_audience: true   # a token that names a service (?audience=) counts at that service only

# Creates the first superadmin, once: POST /auth/bootstrap. Remove it afterwards.
bootstrap:
  token: ${token}

# The front door: every service under its public prefix.
gateway:
  bind: ${defaults.gateway.bind}
  # tls: { cert: ./tls/cert.pem, key: ./tls/key.pem } # read again when they change; others: [{ cert, key }] for further names; hsts: { max_age: 8760h }
  # trusted_proxies: [10.0.0.0/8]   # these may name the caller's address
  # client_address: x-forwarded-for # the header in which they do (or forwarded, client-ip-header); auto: each that is there, if they agree
  # drain_notice: 10s # how long /ready says 503 before a node that ends takes no more connections: longer than the balancer asks apart
  # access_log: { enabled: true, one_in: 100, slow: ${defaults.gateway.access_log.slow} } # a log line for one request in 100, and for each slow or failed one
  # slow_callers: { window: ${defaults.gateway.slow_callers.window}, body_bytes_per_second: ${defaults.gateway.slow_callers.body_bytes_per_second}, answer_bytes_per_second: ${defaults.gateway.slow_callers.answer_bytes_per_second} }
  # compression: { enabled: false } # answers leave as they are, also for callers that send Accept-Encoding
  # cors: { atlas: { origins: [https://app.example.org] } } # pages of these origins may call the product; of other origins none may
  # sites: { app.example.org: { tenant: acme:atlas:dev:main, cookies: true, web: true } } # one tenant's host: no position headers; logins in cookies; its pages

# Listeners beside the gateway: true, false or { bind: host:port }.
listeners:
  operations: true     # ${LISTENER_ADDRESSES.operations}  /livez /readyz /metrics
  intake: true         # ${LISTENER_ADDRESSES.intake}  /f without the gateway
  identity: false      # ${LISTENER_ADDRESSES.identity}
  data: false          # ${LISTENER_ADDRESSES.data}
  console: false       # ${LISTENER_ADDRESSES.console}  /console/, for operators; { tenants: false }: for them alone

# Threads that hold tenants; left out it is the number of cores less one.
# hosts: 2

# A host that stands still in one turn is replaced; a route that did it twice is refused for a while.
# watchdog:
#   replace_after: ${defaults.watchdog.replace_after}
#   refuse_for: ${defaults.watchdog.refuse_for}

storage:
  dir: ./${defaults.storage.dir}
  # A file outside of it, on another disk if there is one: an older copy of the directory that is put back is noticed.
  # mark: /mnt/second/skep.mark

# Rate profiles: change one, add one, or turn it off.
# rates:
#   auth_apikey: { burst: 15, per_second: 0.25 }
#   ipv6_prefix: ${defaults.rates.ipv6_prefix}   # callers of one IPv6 network of so many bits share a bucket

intake:
  forms:
    dir: ./${defaults.intake.forms.dir}
  # security:
  #   gateway_secret: \${EDGE_INTAKE_GATEWAY_SECRET}

# Traces: spans of some requests, to a collector that speaks OTLP over HTTP.
# telemetry:
#   traces:
#     to: http://127.0.0.1:4318/v1/traces
#     headers: { authorization: \${OTLP_AUTHORIZATION} }
#     sample: ${defaults.traces.sample}   # one request in a hundred
#     trust_parent: [10.0.0.0/8]   # these peers' traces are continued

log:
  level: debug
`;
}
