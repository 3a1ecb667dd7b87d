/** Puts the intake writer together: one service without tenants behind the same host as the others. */
import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type { Platform } from '#config/platform.ts';
import { Host } from '#actors/host/host.ts';
import { openIntake } from '#actors/intake/open.ts';
import { intakeService } from '#actors/intake/service.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { REPLIES } from '#actors/protocol/frame.ts';
import { threadLogger } from '#runtime/observe/logger.ts';
import { compileRoutes } from '#runtime/route-list.ts';
import { fatalIn } from './fatal.ts';

export interface IntakeWriterData {
  readonly platform: Platform;
  readonly fatal: Int32Array<SharedArrayBuffer>;
}

/** Opens the log and the database, then serves; requests that arrive earlier wait in the port. */
export async function runIntakeWriter(port: MessagePort, data: IntakeWriterData): Promise<void> {
  const channel = new Channel(port);
  const log = threadLogger(data.platform, 'intake');
  const outbox = new Outbox(channel, REPLIES, queueMicrotask);
  const waiting: Parameters<Channel['onBatch']>[0][] = [];
  channel.onBatch = (batch) => waiting.push(batch);
  const intake = await openIntake({
    platform: data.platform,
    clock: systemClock,
    ids: new IdSource(systemClock),
    log,
    random: randomBytes,
    onFatal: fatalIn('intake-writer', data.fatal),
  });
  const service = intakeService(intake);
  const host = new Host({
    log,
    routes: compileRoutes(data.platform),
    services: new Map([[service.name, service]]),
    planeNo: null,
    wake: () => Promise.reject(new Error('intake knows no tenant')),
    send: (no, status, headers, body) => outbox.batch.push(no, status, headers, body),
    whenDurable: (_newest, then) => then(),
    later: setImmediate,
    monotonic: () => performance.now(),
  });
  channel.answer('intake.rotate', async () => {
    await intake.rotate();
    return null;
  });
  channel.answer('thread.drain', async () => {
    await intake.close();
    outbox.flush();
    return null;
  });
  channel.onBatch = (batch) => host.receive(batch);
  for (const batch of waiting) host.receive(batch);
}
