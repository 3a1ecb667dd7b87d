/** Every row of the contract that speaks of audit has a proof, and the proof holds. */
import { afterAll } from 'vitest';
import { proveContract, type Proof } from '#test/kit/contract-table.ts';
import { Contract, behaviour } from '#test/scenario/audit-contract/behaviour.ts';
import { ROWS } from '#test/scenario/audit-contract/rows.ts';

const contract = new Contract();
afterAll(() => contract.end());

const at =
  (file: string) =>
  (title: string): Proof => ({ file: `test/${file}.test.ts`, title });

const served = at('scenario/audit');
const alone = at('scenario/audit-alone');
const faults = at('scenario/audit-faults');
const witnessed = at('scenario/audit-witness');
const inLog = at('storage/segment/segment-log');
const shows = behaviour(contract);
const mutated = at('storage/segment/verify/mutation')(
  'no byte of segment, tile, bundle, checkpoint or manifest can be changed without notice',
);
const withProof = served(
  'strict: 200 {log_id, index, durability}; ?wait=checkpoint adds a proof that openssl and the offline verifier accept',
);
const wholeLog = served('the whole log verifies, its copy too, and the sealer’s death loses nothing');
const proofs = served('inclusion and consistency, checkpoint and tiles');
const refusals = served('refusals: 400, 401, 403, 404');
const own = at('config/load')(
  'a file given to `skep audit` has the audit keys at its root, and the defaults of the contract',
);
const crashes = inLog('a crash at every change of writing and sealing loses nothing that was acknowledged');
const killed = faults(
  'kill -9 while segments are sealed, ${KILLS} times: no acknowledged record is lost, and all verify',
);

proveContract(ROWS, {
  Service: {
    'per-tenant logs, each signed with its own Ed25519 key': shows.templates,
    'a configurable durability mode, sealing and synchronisation targets': shows.patterns,
    'tamper-evident: any changed byte is found with the public key alone': mutated,
  },
  Configuration: {
    'name, port: listen port 8443 by default': own,
    'vault.url': at('scenario/audit-vault-keys')(
      'the key of a log is made in the vault, and none lies beside the logs',
    ),
    'audit.base_dir: /var/lib/audit/logs by default': own,
    'signer.vault_path_template, signer.key_id_template: templates using {tenant}': shows.templates,
    'routing[].log_id_pattern: a glob': shows.patterns,
    'routing[].durability strict, batched, async': shows.patterns,
    'routing[].seal_interval': shows.sealInterval,
    'routing[].segment_max_records': shows.segmentRecords,
    'routing[].segment_max_bytes': shows.segmentBytes,
    'sync[].log_pattern, targets[] kind fs with path': wholeLog,
    'sync[].cadence': wholeLog,
    'sync[].anchor: a witness': witnessed(
      'checkpoints are cosigned: openssl verifies the line, and so does skep audit verify --witness',
    ),
  },
  'Log ids': {
    'vault/<dc>/<cluster>/<tenant>, vault/<dc>/<cluster>/_cluster, vault/_global': at('actors/audit/log-id')(
      'the ids of the contract are ids, and nothing that leaves the directory is',
    ),
    'tenant/<customer>/<product>/<env>/<tenant> for what identity and data do in a tenant': served(
      'every write of an entity is recorded in its own commit, with who and what',
    ),
    'node/intake, node/platform': at('scenario/audit-node')(
      'node/platform and node/intake tell of starts, stops, tenants, dead threads, rotations and submissions',
    ),
    'in a URL one percent-encoded segment, on the disk and in the origin their segments': shows.checkpoint,
  },
  Commands: {
    'the binary with -config <file>': alone('it serves its own paths over TLS, and nothing else'),
    'audit verify: 0 good, 1 tampered with the first bad index, 2 incomplete, 3 usage, --json': withProof,
    'audit verify of a directory, a URL, a proof, a segment': wholeLog,
    'audit query': wholeLog,
    'audit witness': witnessed('a witness that is killed knows what it cosigned'),
  },
  Authentication: {
    'TLS only': alone('it serves its own paths over TLS, and nothing else'),
    'nbf and exp of a token are checked against the wall clock': shows.wallClock,
    'a service with a scope over the tenant appends, no other caller': refusals,
    'an admin of the tenant reads, and no admin of another one': refusals,
  },
  Events: {
    'events of an outbox reach the log at least once, each number once, and a gap is visible': at(
      'actors/host/outbox/event-outbox',
    )('whatever is written, taken, settled and restarted in any order: each event once, in order'),
    'the vault hands over its events by source and number': at('runtime/node-events')(
      'the vault hands over events that it has numbered; true when they are durable, and only for its own logs',
    ),
    'a bulk chunk is one record that lists id and SHA-256 of every row': at('actors/data/record-change')(
      'a chunk of an import is one record that lists every row',
    ),
  },
  Limits: {
    'a segment ends at 100000 records and 67108864 bytes by default': shows.defaults,
    'a segment is sealed after 60s on strict routes, 300s on others by default': shows.defaults,
    'one writer per log, by file lock': faults(
      'two processes on one log: the second refuses it as held, and the first goes on',
    ),
  },
  Record: {
    'canonical JSON (RFC 8785) of v id seq ts tenant source source_seq actor action target outcome request_id data': at(
      'actors/audit/canonical',
    )('a record is the canonical text of its members, without a sort'),
    'above 60 KiB data moves to a blob, and data_sha256 stays': shows.blob,
    'the entry is the stored line without its newline': shows.line,
  },
  Formats: {
    'C2SP tlog-tiles: tiles of 256, entry bundles, one tree over all segments': inLog(
      'grows over restarts and segments, and verifies with nothing but the public key',
    ),
    'signed-note checkpoints, type 0x01, origin <deployment>/<log id>: openssl verifies one': withProof,
    'RFC 6962 hashes and proofs: the public vectors': at('storage/segment/merkle-vectors')(
      'all 196 vectors are judged as their authors judge them',
    ),
    'segment line <crc32 hex> <length> <json>': shows.line,
    'a sealed segment has a manifest, and is read-only': inLog(
      'is sealed when its time has come: manifest, read-only file, a new segment after it',
    ),
    'keys are PEM, PKCS#8 and SPKI, Ed25519': shows.templates,
  },
  Endpoints: {
    'POST /logs/{id}/records: one or an array, 200 {log_id, index, durability}': served(
      'an array is one call; a source’s number is taken once',
    ),
    'POST /logs/{id}/records on an async route: 202 without index': shows.async,
    'POST /logs/{id}/records?wait=checkpoint adds a proof': withProof,
    'GET /logs': shows.list,
    'GET /logs/{id}': shows.lost,
    'GET /logs/{id}/records?from&limit&actor&action&since&until': shows.filters,
    'GET /logs/{id}/checkpoint': shows.checkpoint,
    'GET /logs/{id}/tile/…': shows.tiles,
    'GET /logs/{id}/proof/inclusion?index&size': proofs,
    'GET /logs/{id}/proof/consistency?from&to': shows.consistency,
    'GET /health, /ready': alone('it serves its own paths over TLS, and nothing else'),
    'refusals: {error, code} with the prefix audit.': refusals,
  },
  Durability: {
    'strict: acknowledged after the fdatasync of its batch': inLog(
      'strict entries are in the tree when they are acknowledged; the others at the latest when the log is closed',
    ),
    'batched: acknowledged after the write, survives kill -9': crashes,
    'async: acknowledged on enqueue, its loss is counted': inLog(
      'a full disk sheds whole batches, and the log goes on when there is room',
    ),
    'journal, tiles, signature, signed head, checkpoint: a crash between any two loses and forks nothing': killed,
    'a full disk sheds whole, 507; a broken one ends the process': faults(
      'that is full sheds records with 507, whole, and takes them again when there is room',
    ),
  },
  Recovery: {
    'another root of the same size is a fork: no writes, still readable, with the reason': inLog(
      'other records of the same size are a fork',
    ),
    'fewer records than were signed, or an old signed head, is a rollback': inLog(
      'an old copy of the signed heads, or none at all, is a rollback',
    ),
    'both brought back old are caught by the sync target': faults(
      'an old log with its old signed heads is refused as a rollback, and stays readable',
    ),
    'both brought back old are caught by the witness': witnessed(
      'old logs and old signed heads, brought back together, are refused as a rollback',
    ),
    'a torn tail is cut, kept beside and recorded as audit.recovered': at('actors/audit/recovered')(
      'a torn tail is cut, kept beside the file, and logged',
    ),
    'a bad line before a good one is refused': inLog('a bad line before a good one is damage, and nothing is changed'),
    'a clock that goes back changes no order': at('actors/audit/prune')(
      'a clock that goes back by a day changes no order and loses nothing',
    ),
  },
  Sync: {
    'tiles first, checkpoint last, after proof of consistency on the target': faults(
      'another history that appears while the log is open closes it: nothing more is signed',
    ),
  },
});
