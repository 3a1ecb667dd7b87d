/** The `vault` part of the platform file, the root of a file given to `skep vault server`. Spec: docs/contract/vault.md. */
import { defaults } from './defaults.ts';
import * as kit from './schema-kit.ts';

const is = defaults.vault;
const WORD = /^[a-z0-9_][a-z0-9._-]{0,62}$/;
const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const word = (what: string, example: string) =>
  kit.pattern(WORD, `${what}: lower-case letters, digits, . _ and -, at most 63`, example);

/** A root key is never in the file itself: only the keeper thread reads it. */
const rootKey = kit.section({
  file: kit.path('the file of a root key: 32 bytes raw, in hexadecimal or in base64', './root.key').optional(),
  env: kit.pattern(VARIABLE, 'the name of a variable that holds a root key', 'SKEP_VAULT_ROOT_KEY').optional(),
});

/** A password is not in the file either. */
const password = kit.section({
  file: kit.path('the file of a password', './etcd.password').optional(),
  env: kit.pattern(VARIABLE, 'the name of a variable that holds a password', 'SKEP_VAULT_ETCD_PASSWORD').optional(),
});

const pem = (what: string) => kit.path(`the path of a PEM file with ${what}`, './tls/cert.pem');

/** All keys of the vault. Nothing is served unless it is enabled. */
export const vaultSection = kit.section({
  enabled: kit.yesNo().default(false),
  /** `--mode root`: this vault holds the root of trust; there is no other mode yet. */
  mode: kit.oneOf(['root']).default(is.mode),
  profile: kit.oneOf(['production', 'development']).default(is.profile),
  datacenter: word('the name of the datacenter', 'dc1').default(is.datacenter),
  cluster: word('the name of the cluster', 'main').default(is.cluster),
  sid: word('the name of this instance', 'vault-1').default(is.sid),
  trust_domain: kit
    .pattern(TRUST_DOMAIN, 'a SPIFFE trust domain: lower-case letters, digits, . _ and -', 'example.org')
    .default(is.trust_domain),
  host: kit.text('the address to listen on', '0.0.0.0').default(is.host),
  port: kit.whole(1, 65_535).optional(),
  tls: kit.entry({ cert: pem('a certificate'), key: pem('its key') }).optional(),
  /** The URL of this vault for callers; certificates name it for the revocation list and the responder. */
  public_url: kit.httpUrl('the URL under which this vault is reached').optional(),
  /** The plain HTTP listener for the authority's certificate, its revocation list and its OCSP responder, as their clients expect. */
  pki: kit.section({
    listen: kit.yesNo().default(true),
    port: kit.whole(1, 65_535).optional(),
    /** The URL of that listener for clients; by default `public_url` with its port. */
    url: kit.httpUrl('the http URL under which the plain listener of the authority is reached').optional(),
  }),
  operators: kit.section({
    /** One of these authorities issues the certificates of operators. */
    ca: pem('the certificates that issue operators').optional(),
    /** Their revocation lists, read again at SIGHUP. */
    crl: pem('the revocation lists of these issuers').optional(),
  }),
  backend: kit.section({
    kind: kit.oneOf(['lmdb', 'file', 'etcd', 'postgres']).default(is.backend.kind),
    dir: kit.path('the directory of the store', '/var/lib/skep/vault').optional(),
    endpoints: kit.list(kit.httpUrl('the URL of an etcd endpoint'), 'etcd endpoints').default([]),
    /** By default the database of the log (`storage.journal`), with what that says of its copies. */
    url: kit.secret('the URL of a database').optional(),
    replication: kit.oneOf(['strict', 'managed']).optional(),
    prefix: kit
      .text('what the keys of this vault begin with in etcd, its name in a PostgreSQL', '/skep/vault/')
      .default(is.backend.prefix),
    timeout: kit.duration().default(is.backend.timeout),
    /** For an etcd with authentication. */
    user: kit.text('the name of a user of etcd', 'skep').optional(),
    password: password,
    tls: kit
      .entry({
        ca: pem('the issuer of etcd’s certificate'),
        cert: pem('a client certificate').optional(),
        key: pem('its key').optional(),
      })
      .optional(),
  }),
  seal: kit.section({
    kind: kit.oneOf(['key', 'shamir']).default(is.seal.kind),
    current: rootKey,
    /** The previous root key, until everything is under the current one. */
    previous: rootKey,
  }),
  audit: kit.section({
    /** Reads and writes of secrets wait for their audit record. */
    required: kit.yesNo().default(false),
    /** A remote audit service instead of this node's, and this vault's certificate there: spiffe://<domain>/vault/<sid>. */
    endpoint: kit.httpUrl('the URL of an audit service').optional(),
    tls: kit
      .entry({
        ca: pem('the issuer of its certificate').optional(),
        cert: pem('a client certificate'),
        key: pem('its key'),
      })
      .optional(),
  }),
  /** Numbers of events, the spool, and the store's last revision: they must not be in the store itself. */
  state_dir: kit.path('a directory beside the store', '/var/lib/skep/vault-state').optional(),
  policies: kit.section({ dir: kit.path('the directory of policies', './policies').optional() }),
  /** Set for one start after the store was restored from an older copy on purpose. */
  accept_rollback: kit.yesNo().default(false),
});
