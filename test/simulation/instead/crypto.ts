/** In the place of node:crypto: random bytes come from the seed. Everything else is real: the same bytes give the same result. */
import * as real from 'node:crypto';
import { machineNow } from '#test/simulation/machine/machine.ts';

export * from 'node:crypto';

export function randomFillSync<T extends NodeJS.ArrayBufferView>(into: T): T {
  const machine = machineNow();
  if (machine === null) return real.randomFillSync(into);
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  for (let i = 0; i < bytes.length; i++) bytes[i] = machine.world.random.below(256);
  return into;
}

export function randomBytes(size: number): Buffer {
  return randomFillSync(Buffer.alloc(size));
}

export function randomUUID(): ReturnType<typeof real.randomUUID> {
  if (machineNow() === null) return real.randomUUID();
  const hex = randomBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
