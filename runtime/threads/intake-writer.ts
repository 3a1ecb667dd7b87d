/** Puts the intake writer together: one service without tenants behind the same host as the others. */
import type { MessagePort } from 'node:worker_threads';
import { loadForms } from '#config/definitions/load-forms.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { Host } from '#actors/host/host.ts';
import { openIntake } from '#actors/intake/open-intake.ts';
import type { Intake } from '#actors/intake/open-intake.ts';
import { intakeService } from '#actors/intake/service.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { REPLIES } from '#actors/protocol/frame.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { intakeLogger } from '#runtime/observe/thread-logger.ts';
import { skepVersion } from '#runtime/version.ts';
import { fatalIn } from './fatal.ts';
import { intakeSettings } from './intake-settings.ts';

export interface IntakeWriterData {
  readonly platform: Platform;
}

/** Opens the log and the database when main asks, then serves; requests that arrive earlier wait. */
export function runIntakeWriter(port: MessagePort, data: IntakeWriterData): void {
  const channel = new Channel(port);
  const early: Flat[] = [];
  channel.onBatch = (batch) => early.push(batch);
  channel.answer('intake.open', async () => {
    const { intake, reopenLog } = await openIntakeOf(data);
    const host = hostOf(data, intake, new Outbox(channel, REPLIES, queueMicrotask));
    channel.answer('intake.rotate', async () => {
      await intake.rotate();
      reopenLog();
      return null;
    });
    channel.answer('intake.counted', (counts) => {
      for (const [outcome, times] of counts) intake.count(outcome, times);
      return null;
    });
    channel.answer('thread.retire', () => {
      intake.retire();
      return null;
    });
    channel.answer('thread.drain', async () => {
      await intake.close();
      return null;
    });
    channel.onBatch = (batch) => host.receive(batch);
    for (const batch of early) host.receive(batch);
    return { replayed: intake.replayed };
  });
}

async function openIntakeOf({ platform }: IntakeWriterData): Promise<{ intake: Intake; reopenLog: () => void }> {
  const { log, reopen } = intakeLogger(platform);
  const intake = await openIntake({
    settings: intakeSettings(platform),
    forms: formsOf(platform.intake.forms.dir),
    version: skepVersion(),
    clock: systemClock,
    ids: new IdSource(systemClock),
    log,
    onFatal: await fatalIn('intake-writer'),
  });
  return { intake, reopenLog: reopen };
}

/** Throws with every fault of the forms: file, line, column and how to mend it. */
function formsOf(dir: string): readonly FormDefinition[] {
  const loaded = loadForms(dir);
  if ('problems' in loaded) throw new Error(`the forms in ${dir} do not load:\n${renderProblems(loaded.problems)}`);
  return Object.values(loaded.forms);
}

function hostOf({ platform }: IntakeWriterData, intake: Intake, outbox: Outbox): Host {
  const service = intakeService(intake);
  return new Host({
    log: intakeLogger(platform).log,
    routes: compileRoutes(platform),
    services: new Map([[service.name, service]]),
    planeNo: null,
    wake: () => Promise.reject(new Error('intake knows no tenant')),
    send: (no, status, headers, body) => outbox.batch.push(no, status, headers, body),
    whenDurable: (_newest, then) => then(),
    later: setImmediate,
    monotonic: () => performance.now(),
  });
}
