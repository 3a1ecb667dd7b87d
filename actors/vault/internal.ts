/** What the node itself takes from its vault: secrets that its configuration names, and keys that it signs with. Node-wide ones only. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Keeper } from './keeper.ts';
import { NODE_SCOPE, isName } from './caller/scope.ts';
import { secretPath } from './secret/place.ts';
import { Sealed } from './seal/seal.ts';

const NODE = 'node';

/** The value of a secret that the configuration names. Throws with what is missing, and never with a value. */
export async function reveal(keeper: Keeper, name: string): Promise<string> {
  const value = await read(keeper, name);
  if (value === null) throw new Error(`vault:${name} is not in the vault\n    write it: skep vault put ${name}`);
  const text = value.toString('utf8');
  value.fill(0);
  return text;
}

/**
 * The Ed25519 key at a path, made when there is none and `makes`. It leaves as a handle: its bytes stay here. Its event waits for nobody, since
 * the audit log itself is who asks.
 */
export async function signingKey(keeper: Keeper, path: string, makes: boolean): Promise<KeyObject> {
  const found = (await read(keeper, path)) ?? (makes ? await make(keeper, path) : null);
  if (found === null) throw new Error(`vault:${path} is not in the vault`);
  const key = createPrivateKey({ key: found, format: 'der', type: 'pkcs8' });
  found.fill(0);
  return key;
}

/** Destroys a key that nobody signs with any more; one that is not there is gone already. */
export async function forgetKey(keeper: Keeper, name: string): Promise<null> {
  assertReadable(keeper, name);
  const place = { scope: NODE_SCOPE, name };
  await keeper.write(() => keeper.parts.secrets.remove(place, NODE, { destroy: true, version: null }));
  tell(keeper, 'secret.delete', name);
  return null;
}

async function make(keeper: Keeper, name: string): Promise<Buffer> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const place = { scope: NODE_SCOPE, name };
  const written = await keeper.write(() => keeper.parts.secrets.write(place, der, NODE, 0));
  tell(keeper, 'secret.write', name);
  if (written.ok) return der;
  der.fill(0);
  return (await read(keeper, name))!; // another one was faster
}

async function read(keeper: Keeper, name: string): Promise<Buffer | null> {
  assertReadable(keeper, name);
  const found = await keeper.parts.secrets.read({ scope: NODE_SCOPE, name }, null);
  tell(keeper, 'secret.read', name);
  return found !== null && 'value' in found ? found.value : null;
}

function assertReadable(keeper: Keeper, name: string): void {
  if (!isName(name)) throw new Error(`vault:${name} is no name of a secret`);
  if (keeper.parts.seal.state === 'sealed') throw new Sealed();
  keeper.assertBelievable();
}

function tell(keeper: Keeper, action: 'secret.read' | 'secret.write' | 'secret.delete', name: string): void {
  const target = secretPath({ scope: NODE_SCOPE, name });
  const data = keeper.parts.highWater.known;
  const event = { action, actor: NODE, target, outcome: 'ok', tenant: null, request_id: '', data } as const;
  const told = keeper.parts.events.emit(event);
  told?.catch(() => undefined); // dropped and counted already
}
