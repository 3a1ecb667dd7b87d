/** The `audit` part of the platform file, the root of a file given to `skep audit`. Spec: docs/contract/audit.md §3. */
import { defaults } from './defaults.ts';
import * as kit from './schema-kit.ts';

const is = defaults.audit;

const route = kit.entry({
  log_id_pattern: kit.text('a glob over log ids', 'tenant/**'),
  durability: kit.oneOf(['strict', 'batched', 'async']).default(is.durability),
  seal_interval: kit.duration().optional(),
  segment_max_records: kit.whole(1, 100_000_000).default(is.segment_max_records),
  segment_max_bytes: kit.whole(1024, 2 ** 31 - 1).default(is.segment_max_bytes),
  /** Not in the contract: sealed segments whose last record is older are pruned; kept for ever unless set. */
  retention: kit.duration().optional(),
});

/** The contract leaves this open: a witness that speaks C2SP tlog-witness, and the verifier key of its cosignatures. */
const anchor = kit.entry({
  url: kit.httpUrl('the URL before /add-checkpoint'),
  key: kit.text('a verifier key, <name>+<id>+<key>', 'witness.example.org+1234abcd+BAmf…'),
});

const sync = kit.entry({
  log_pattern: kit.text('a glob over log ids', 'tenant/**'),
  targets: kit
    .list(kit.entry({ kind: kit.oneOf(['fs']), path: kit.path('the path of a directory', '/mnt/audit') }), 'targets')
    .default([]),
  cadence: kit.duration().default(is.cadence),
  anchor: anchor.optional(),
});

/** All keys of the audit service. Nothing is recorded unless it is enabled. */
export const auditSection = kit.section({
  enabled: kit.yesNo().default(false),
  name: kit
    .text('the name of this deployment: logs are signed as <name>/<log id>', 'audit.example.org')
    .default(is.name),
  host: kit.text('the address to listen on', '0.0.0.0').default(is.host),
  port: kit.whole(1, 65_535).optional(),
  /** In a file given to `skep audit`; in a node's file it is `jwks.issuers.iam`. */
  issuer: kit.httpUrl('the URL of the issuer whose tokens count').optional(),
  vault: kit.section({
    /** The vault that holds the signing keys; `tls` is this service's certificate there, which a policy of that vault must name. */
    url: kit.httpUrl('the URL of a vault').optional(),
    tls: kit
      .entry({
        ca: kit.path('the path of a PEM file with the issuer of its certificate', './tls/vault-ca.pem').optional(),
        cert: kit.path('the path of a PEM file', './tls/audit.pem'),
        key: kit.path('the path of a PEM file', './tls/audit-key.pem'),
      })
      .optional(),
    /** Vaults that record here show a certificate of one of these issuers, named spiffe://<domain>/vault/<sid>. */
    ca: kit.path('the path of a PEM file with the issuers of vaults', './tls/vaults-ca.pem').optional(),
  }),
  /** Where records are kept before the node has them: nowhere else, or in the database of the log, where every node that may serve finds them. */
  backend: kit.section({ kind: kit.oneOf(['files', 'postgres']).default(is.backend.kind) }),
  base_dir: kit.path('the directory of the logs', is.base_dir).optional(),
  /** The contract's place for it in a file given to `skep audit`. */
  audit: kit.section({ base_dir: kit.path('the directory of the logs', is.base_dir).optional() }),
  key_dir: kit.path('the directory of signing keys, until a vault holds them', '/var/lib/audit/keys').optional(),
  tls: kit
    .entry({
      cert: kit.path('the path of a PEM file', './tls/cert.pem'),
      key: kit.path('the path of a PEM file', './tls/key.pem'),
    })
    .optional(),
  signer: kit.section({
    vault_path_template: kit
      .text('a path with {tenant}', is.signer.vault_path_template)
      .default(is.signer.vault_path_template),
    key_id_template: kit.text('a key name with {tenant}', 'skep/{tenant}').optional(),
  }),
  routing: kit.list(route, 'routes').default([]),
  sync: kit.list(sync, 'synchronisations').default([]),
});
