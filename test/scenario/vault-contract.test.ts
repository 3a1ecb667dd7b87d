/** Every row of the vault's contract that this part of it answers for has a proof, and the proof holds. Certificates and agents have a table of their own. */
import { proveContract } from '#test/kit/contract-table.ts';
import { ROWS } from '#test/scenario/vault-contract/rows.ts';

const wire = (title: string) => ({ file: 'test/scenario/vault.test.ts', title });
const guards = (title: string) => ({ file: 'test/scenario/vault-guards.test.ts', title });
const leaks = (title: string) => ({ file: 'test/scenario/vault-leaks.test.ts', title });
const audit = (title: string) => ({ file: 'test/scenario/vault-audit.test.ts', title });
const remote = (title: string) => ({ file: 'test/scenario/vault-remote-audit.test.ts', title });
const product = (title: string) => ({ file: 'test/scenario/vault-product-references.test.ts', title });
const cli = (title: string) => ({ file: 'test/runtime/cli/vault.test.ts', title });
const emitter = (title: string) => ({ file: 'test/actors/vault/event/emitter.test.ts', title });
const secrets = (title: string) => ({ file: 'test/actors/vault/secret/secrets.test.ts', title });
const seal = (title: string) => ({ file: 'test/actors/vault/seal/seal.test.ts', title });

const lifecycle = wire('put, get, head, versions, cas, delete');
const outage = guards('ready while it answers, 503 and the contract’s names while it does not, and back again');
const logs = emitter('each log has its own numbers, from 1 on, in order');
const shares = guards(
  'sealed with shares: sealed at every start, /ready 503, any three of five unseal, sealing seals again',
);
const scaffolds = wire('POST /operator/%s is scaffolded: 501');

proveContract(ROWS, {
  Service: {
    'stores versioned secrets': lifecycle,
    'uses an external key-value backend': outage,
    'or a file backend in development': {
      file: 'test/storage/vault/file.test.ts',
      title: 'a torn or changed file is refused, wherever it was cut; the file is for its owner only',
    },
    'is a client of the audit service': audit(
      'each read and write is a record of its log, with the decision before it; numbers without a gap; no value',
    ),
  },
  Materials: {
    'audit log id vault/<dc>/<cluster>/<tenant>': logs,
    'audit log id …/_cluster': logs,
    'audit log id vault/_global': logs,
  },
  States: {
    'a write creates a new active record; the previous record becomes inactive': secrets(
      'a write makes the new version active and the previous one inactive; a fourth destroys the oldest',
    ),
    'at most 3 records per key are active (readable)': secrets(
      'whatever is done, at most three are readable, one at most is active, and it is the newest',
    ),
    'every change bumps updated_at': secrets(
      'a delete makes what is readable deleted, destroy drops the bytes, every change bumps updated_at',
    ),
  },
  Endpoints: {
    'GET /ready: readiness; 503 when the backend is unreachable': outage,
    'GET /ready: served over TLS on the service port': wire(
      'the listener speaks TLS 1.3 and nothing older; /ready needs no certificate',
    ),
    'GET /ready: 503 while the vault is sealed': shares,
    'PUT, GET, HEAD, DELETE /secret/{name}, GET /secret/{name}/versions, GET ?version=N, PUT with cas': lifecycle,
    'names: [A-Za-z0-9._-] with / between, one percent-encoded segment': wire('a name that is empty between slashes'),
    'the tenant comes from the four headers, node-wide secrets without them': wire(
      'a tenant’s secret is no other’s and not the node’s',
    ),
  },
  Commands: {
    'server -f <file> [--port] [--datacenter] [--cluster] [--sid] [--mode root]': cli(
      'status tells the flags of the server',
    ),
    'config generate bootstrap or bootstrap-dev': cli('config generate %s prints a file that loads'),
    'get, put, exists, delete <name>': cli('put, get, exists, list, delete'),
    status: cli('status tells the flags of the server'),
    'audit query/verify': audit(
      'each read and write is a record of its log, with the decision before it; numbers without a gap; no value',
    ),
    'root rotate-plan/rotate-execute, backend migrate, signer test, policy lint, migrate-service answer 501':
      cli('vault %s is scaffolded: 501'),
    '--operator-cert, --operator-key or environment variables': cli(
      'flags outrank variables; without a certificate the vault says that one is missing',
    ),
  },
  Metrics: {
    'scrape path /metrics (server), OpenTelemetry names': leaks(
      'planted values are in no log line, no error, no metric, no file',
    ),
  },
  Authentication: {
    'operator calls use mTLS operator certificates': wire('401 for %s'),
    'its own TLS listener, TLS 1.3, requestCert': wire(
      'the listener speaks TLS 1.3 and nothing older; /ready needs no certificate',
    ),
    'a dev profile may serve plain HTTP on loopback': guards('a development file may leave TLS out on loopback only'),
    'production refuses the file backend': guards('production refuses at the start > the file backend'),
  },
  Policies: {
    'policies/*.yaml: subject, path glob, capabilities': guards(
      'rows alone count where there are some; SIGHUP reads them again',
    ),
    'every decision is a policy.grant or policy.deny event': guards(
      'rows alone count where there are some; SIGHUP reads them again',
    ),
  },
  Envelope: {
    'AES-256-GCM, layout term | version | nonce | ciphertext | tag, associated data tenant NUL name NUL version': {
      file: 'test/actors/vault/seal/envelope.test.ts',
      title: 'the layout is term, version, nonce, ciphertext, tag, and the associated data names the place',
    },
    'a key per secret under a key per tenant under the root key': secrets(
      'every byte of a stored record and of a stored value, flipped, is refused by name',
    ),
    'root key from file, environment, or Shamir shares': shares,
    'current and previous root for rotation, by configuration and SIGHUP': wire(
      'a new root key by configuration and SIGHUP; readers never notice, and the old key is then not needed',
    ),
    'an enveloped read without an envelope key fails with vault.envelope_key_missing': seal(
      'a record without an envelope is refused where there is a root key, and an envelope where there is none',
    ),
    'a rolled-back store is detected': guards(
      'a store that was put back is detected: not ready, nothing believed, until an operator accepts it',
    ),
  },
  Events: {
    'secret.read, secret.write, secret.delete, secret.exists are sent to the audit service': audit(
      'each read and write is a record of its log, with the decision before it; numbers without a gap; no value',
    ),
    'best effort, non-blocking, about 7 s retry budget': emitter(
      'what cannot be sent for seven seconds is dropped and counted, and its numbers stay missing',
    ),
    'without an audit service a no-op client logs locally': guards(
      'rows alone count where there are some; SIGHUP reads them again',
    ),
    'with audit.endpoint they go to that audit service, over mTLS': remote(
      'each write is a record there before it is answered: the decision, then the deed, in order, no gap, no value',
    ),
    'a per-source sequence, so a gap shows': logs,
    'spooled to a bounded file, counted when dropped': emitter('a full spool drops and counts'),
    'audit.required: true makes secret reads and writes wait for the audit record': emitter(
      'required: the caller waits for the record, and is refused when there is none',
    ),
  },
  Errors: {
    '503 on /ready: backend unreachable': outage,
    'vault-not-connected, vault-failed-to-retrieve-secret: backend down': outage,
    '501: scaffolded operator commands': scaffolds,
    'errors {error, code: "vault.…"}': lifecycle,
    'refuses to boot with the file backend in production': guards('production refuses at the start > the file backend'),
  },
  Limits: {
    'max 3 active secret versions per key': secrets(
      'whatever is done, at most three are readable, one at most is active, and it is the newest',
    ),
  },
  References: {
    'vault:<name> of a content app is a secret of its tenant': product(
      'a later start: preview tokens are signed with the tenant’s secret, and verify',
    ),
    'vault:<name> in configuration is a secret of the vault': {
      file: 'test/scenario/vault-references.test.ts',
      title: 'a start that needs a secret which is not there is refused by name, and mended by putting it',
    },
  },
});
