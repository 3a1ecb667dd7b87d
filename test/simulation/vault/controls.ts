/** Faults of the vault that must be noticed. */
import type { Control } from '#test/simulation/control.ts';

export const VAULT_CONTROLS: Readonly<Record<string, Control>> = {
  'vault-unsynced': {
    what: 'Syncs of the vault’s file do nothing.',
    of: 'vault',
    ignores: /vault\/store\/vault\.json/,
  },
  'vault-unsynced-names': {
    what: 'Syncs of the directory of the vault’s file do nothing.',
    of: 'vault',
    ignores: /^vault\/store$/,
  },
  'vault-commit-unawaited': {
    what: 'A commit is acknowledged before the store has it.',
    of: 'vault',
    plant: {
      file: 'storage/vault/commit-queue.ts',
      find: '      await this.#ports.persist(puts, revision);',
      put: '      for (const one of batch) one.resolve({ ok: true, revision: one.revision });\n      await this.#ports.persist(puts, revision);',
    },
  },
  'vault-goes-on-unsynced': {
    what: 'The process goes on although the directory of the vault’s file could not be synced.',
    of: 'vault',
    plant: {
      file: 'storage/vault/file.ts',
      find: '      this.#onFatal(new Error(`${this.#file} could not be synced`, { cause: error }));\n',
      put: '',
    },
  },
  'version-comes-again': {
    what: 'A version has the number of one that was destroyed.',
    of: 'vault',
    plant: {
      file: 'actors/vault/secret/secret-record.ts',
      find: 'const version = (before?.latest ?? 0) + 1;',
      put: "const version = (before?.versions.filter(({ state }) => state !== 'destroyed').length ?? 0) + 1;",
    },
  },
  'seal-keeps-root-key': {
    what: 'A vault that is sealed keeps its root key, and goes on.',
    of: 'vault',
    plant: { file: 'actors/vault/seal/seal-verbs.ts', find: '  seal.seal();\n', put: '' },
  },
  'rewrap-loses-terms': {
    what: 'Under a new root key only the newest key of a tenant is wrapped again.',
    of: 'vault',
    plant: {
      file: 'actors/vault/seal/barrier.ts',
      find: 'const terms = Object.entries(record.terms).map(',
      put: 'const terms = Object.entries(record.terms).slice(-1).map(',
    },
  },
  'cas-unchecked': {
    what: 'A write does not look whether the version is the one that it names.',
    of: 'vault',
    plant: {
      file: 'actors/vault/secret/secrets.ts',
      find: 'if (cas !== null && cas !== (before?.latest ?? 0)) return null;',
      put: '',
    },
  },
  'destroyed-is-readable': {
    what: 'A version that a further write destroys can be read as long as its bytes are there.',
    of: 'vault',
    plant: {
      file: 'actors/vault/secret/secret-record.ts',
      find: "row.version <= version - limits.vault.readableVersionsMax && row.state !== 'destroyed'",
      put: "row.version < version - limits.vault.readableVersionsMax && row.state !== 'destroyed'",
    },
  },
};
