/**
 * Access of the node itself to its vault: secrets that its configuration names and signing keys, node-wide ones only; and for a tenant the secrets
 * that its product names, of that tenant only.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { parsePosition } from '#actors/protocol/position.ts';
import type { Keeper } from './keeper.ts';
import { NODE_SCOPE, isName } from './caller/scope.ts';
import { secretPath } from './secret/place.ts';
import { Sealed } from './seal/seal.ts';

const NODE = 'node';

/** The value of a secret that the configuration names. Throws an error that says what is missing and never contains a value. */
export async function reveal(keeper: Keeper, name: string): Promise<string> {
  const text = textOf(await read(keeper, name));
  if (text === null) throw new Error(`vault:${name} is not in the vault\n    write it: skep vault put ${name}`);
  return text;
}

/**
 * The value of a tenant's secret that its product names; null for a missing one. The product's author chose the name: it reaches no other tenant's
 * secrets.
 */
export async function revealTenant(keeper: Keeper, tenant: string, name: string): Promise<string | null> {
  if (parsePosition(tenant) === null) throw new Error('this is not the key of a tenant');
  return textOf(await read(keeper, name, tenant));
}

function textOf(value: Buffer | null): string | null {
  const text = value?.toString('utf8') ?? null;
  value?.fill(0);
  return text;
}

/**
 * The Ed25519 key at a path; with `makes` it is made when missing. It leaves as a handle: its bytes stay here. The event of this access is not
 * awaited, since the audit log itself may be the caller.
 */
export async function signingKey(keeper: Keeper, path: string, makes: boolean): Promise<KeyObject> {
  const found = (await read(keeper, path)) ?? (makes ? await make(keeper, path) : null);
  if (found === null) throw new Error(`vault:${path} is not in the vault`);
  try {
    return privateKeyOf(found, path);
  } finally {
    found.fill(0);
  }
}

/** A vault stores DER; an operator may have written PEM. The error does not repeat the bytes. */
function privateKeyOf(bytes: Buffer, path: string): KeyObject {
  const isPem = bytes.subarray(0, PEM.length).toString('latin1') === PEM;
  try {
    return isPem ? createPrivateKey(bytes) : createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
  } catch {
    throw new Error(`vault:${path} is not a private key: write one in PKCS#8, PEM or DER`);
  }
}

const PEM = '-----BEGIN';

/** Destroys a key that no longer signs; a missing one is destroyed already. */
export async function forgetKey(keeper: Keeper, name: string): Promise<null> {
  assertReadable(keeper, name);
  const place = { scope: NODE_SCOPE, name };
  await keeper.write(() => keeper.parts.secrets.remove(place, NODE, { destroy: true, version: null }));
  report(keeper, 'secret.delete', name);
  return null;
}

async function make(keeper: Keeper, name: string): Promise<Buffer> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const place = { scope: NODE_SCOPE, name };
  const written = await keeper.write(() => keeper.parts.secrets.write(place, der, NODE, 0));
  report(keeper, 'secret.write', name);
  if (written.ok) return der;
  der.fill(0);
  return (await read(keeper, name))!; // another vault made it first
}

async function read(keeper: Keeper, name: string, scope: string = NODE_SCOPE): Promise<Buffer | null> {
  assertReadable(keeper, name);
  const found = await keeper.parts.secrets.read({ scope, name }, null);
  report(keeper, 'secret.read', name, scope);
  return found !== null && 'value' in found ? found.value : null;
}

function assertReadable(keeper: Keeper, name: string): void {
  if (!isName(name)) throw new Error(`vault:${name} is not a valid name of a secret`);
  if (keeper.parts.seal.state === 'sealed') throw new Sealed();
  keeper.assertBelievable();
}

type Deed = 'secret.read' | 'secret.write' | 'secret.delete';

function report(keeper: Keeper, action: Deed, name: string, scope: string = NODE_SCOPE): void {
  const target = secretPath({ scope, name });
  const data = keeper.parts.highWater.known;
  const tenant = scope === NODE_SCOPE ? null : scope;
  const event = { action, actor: NODE, target, outcome: 'ok', tenant, request_id: '', data } as const;
  const recorded = keeper.parts.events.emit(event);
  recorded?.catch(() => undefined); // dropped and counted already
}
