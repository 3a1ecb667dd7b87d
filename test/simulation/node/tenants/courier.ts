/** The room of the courier: the whole shell of its thread. Where its webhooks arrive is `instead/outbound.ts`. */
import type { MessagePort } from 'node:worker_threads';
import { createPulse } from '#actors/host/pulse.ts';
import type { Port } from '#actors/protocol/channel.ts';
import { runCourier, type CourierData } from '#runtime/threads/courier.ts';

const platform = {
  service: null,
  identity: {},
  intake: { notify: { enabled: false } },
  log: { level: 'silent', output: 'stdout' },
  outbound: { allow_private: [] },
  telemetry: {},
};

export function openCourier(port: Port): { close(): Promise<void> } {
  runCourier(port as unknown as MessagePort, { platform, pulse: createPulse() } as unknown as CourierData);
  return { close: () => Promise.resolve() };
}
