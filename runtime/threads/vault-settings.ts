/** The platform's vault keys in the form that the vault service takes, and the files and variables that they name. Root keys are read here, by the keeper thread alone. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { limits } from '#config/limits.ts';
import type { Platform, VaultConfig } from '#config/platform.ts';
import { NODE_SCOPE } from '#actors/vault/caller/scope.ts';
import { AUDIT_KEYS } from '#actors/vault/keeper.ts';
import { DEFAULT_POLICIES, Policies } from '#actors/vault/caller/policy.ts';
import type { VaultSettings } from '#actors/vault/settings.ts';

export function vaultSettings({ vault }: Platform): VaultSettings {
  return {
    profile: vault.profile,
    mode: vault.mode,
    datacenter: vault.datacenter,
    cluster: vault.cluster,
    sid: vault.sid,
    trustDomain: vault.trust_domain,
    tls: vault.tls !== undefined,
    backend: vault.backend.kind,
    sealKind: vault.seal.kind,
  };
}

/** Before the names of keys that seal a log: the node reads them, and no operator. */
export const LOG_KEYS = 'log-keys/';

/** The kinds of audit logs, with which their ids begin. */
const LOG_KINDS = ['tenant', 'node', 'vault'] as const;

const KEY_TEXT = [
  { pattern: /^[0-9a-fA-F]{64}$/, encoding: 'hex' },
  { pattern: /^[A-Za-z0-9+/]{43}=$/, encoding: 'base64' },
] as const;

/** A root key of the configuration; null where it names none. Throws, without repeating its value, where it is missing or no key. */
export function rootKey({ profile, seal }: VaultConfig, name: 'current' | 'previous'): Buffer | null {
  const { file, env } = seal[name];
  // The configuration names the previous key all the time, so that SIGHUP finds it; its file exists only while it is needed.
  if (name === 'previous' && file !== undefined && !existsSync(file)) return null;
  if (file !== undefined && profile === 'production') refuseOpenFile(file, name);
  if (file !== undefined) return keyOf(readKeyFile(file, name), `vault.seal.${name}.file ${file}`);
  if (env === undefined) return null;
  const text = process.env[env];
  if (text === undefined || text === '')
    throw new Error(
      `vault.seal.${name}.env: the environment has no ${env}\n    set it: 32 bytes in base64 or hexadecimal`,
    );
  return keyOf(Buffer.from(text), `vault.seal.${name}.env ${env}`);
}

function readKeyFile(file: string, name: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `vault.seal.${name}.file: cannot read ${file} (${code})\n    make one: openssl rand -base64 32 > ${file}; chmod 600 ${file}`,
      { cause: error },
    );
  }
}

/** Refuses a key file that other users can read: the root key opens every secret. */
function refuseOpenFile(file: string, name: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) === 0) return;
  throw new Error(`vault.seal.${name}.file: ${file} can be read by others than its owner\n    chmod 600 ${file}`);
}

const OTHERS = 0o077;

/** The key from raw, hexadecimal or base64 bytes. The input is zeroed. */
function keyOf(bytes: Buffer, where: string): Buffer {
  const key = Buffer.alloc(limits.vault.rootKeyBytes);
  const text = bytes.toString('latin1').trim();
  const written = KEY_TEXT.find(({ pattern }) => pattern.test(text));
  const isRaw = bytes.length === key.length && written === undefined;
  if (isRaw) bytes.copy(key);
  else if (written !== undefined) key.write(text, written.encoding);
  bytes.fill(0);
  if (isRaw || written !== undefined) return key;
  throw new Error(
    `${where} is no root key\n    write 32 bytes raw, in base64 or in hexadecimal: openssl rand -base64 32`,
  );
}

/**
 * The paths of keys by which a log is sealed, and of those with which the node, or an audit service elsewhere, signs: such a key is enough to forge records or tokens. The
 * contract's default path is always among them, since an audit service elsewhere has a template of its own.
 */
function signingPlaces({ audit, identity }: Platform): string[] {
  const under = (name: string): string => `secret/${NODE_SCOPE}/${name}`;
  const head = audit.signer.vault_path_template.split('{tenant}', 1)[0]!;
  const keyring = identity.keyring?.replace(/^vault:/, '');
  return [
    AUDIT_KEYS,
    under(LOG_KEYS),
    ...(head === '' ? LOG_KINDS.map((kind) => under(`${kind}/`)) : [under(head)]),
    ...(keyring === undefined ? [] : [under(`${keyring}/`)]),
  ];
}

/** The policies of the directory; where it has none, only operators may do anything. Throws with every problem of its files. */
export async function readPolicies(platform: Platform): Promise<Policies> {
  const { policies } = platform.vault;
  const reserved = signingPlaces(platform);
  if (!existsSync(policies.dir)) return new Policies(DEFAULT_POLICIES, reserved);
  // The YAML reader is imported only where there are policies.
  const { loadPolicies } = await import('#config/definitions/load-policies.ts');
  const { renderProblems } = await import('#config/problem.ts');
  const loaded = loadPolicies(policies.dir);
  if ('problems' in loaded) throw new Error(`policies cannot be read\n${renderProblems(loaded.problems)}`);
  return new Policies(loaded.rows.length === 0 ? DEFAULT_POLICIES : loaded.rows, reserved);
}
