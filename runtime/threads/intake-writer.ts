/** Puts the intake writer together: one service without tenants behind the same host as the others. */
import type { MessagePort } from 'node:worker_threads';
import { limits } from '#config/limits.ts';
import { loadForms } from '#config/definitions/load-forms.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import type { Platform } from '#config/platform.ts';
import { PrivateHosts } from '#config/private-hosts.ts';
import { renderProblems } from '#config/problem.ts';
import type { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import { Host } from '#actors/host/host.ts';
import { openIntake, type Intake } from '#actors/intake/open-intake.ts';
import { KeptSubmissions } from '#actors/intake/kept-submissions.ts';
import { intakeService } from '#actors/intake/service.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { REPLIES, type Flat } from '#actors/protocol/frame.ts';
import { NO_TENANT } from '#actors/protocol/outbox.ts';
import { atNumbers, compileRows, type FirstRoutes } from '#runtime/compile-rows.ts';
import { loadSeal } from '#runtime/cluster/seal-of.ts';
import { configuredIntake } from '#runtime/configured-intake.ts';
import { intakeLogger, type IntakeLogger } from '#runtime/observe/thread-logger.ts';
import type { ServiceLog } from '#runtime/observe/logger.ts';
import { settleNow } from '#runtime/collector.ts';
import { threadSpans } from './thread-spans.ts';
import { skepVersion } from '#runtime/version.ts';
import { answerSoon } from './answer-soon.ts';
import { fatalIn } from './fatal.ts';
import { intakeSettings } from './intake-settings.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { keepBeat, type BeatingData } from './keep-beat.ts';
import { submissionsAhead } from './submissions-ahead.ts';

export interface IntakeWriterData extends BeatingData {
  readonly platform: Platform;
  readonly firstRoute: FirstRoutes;
}

interface Parts {
  readonly platform: Platform;
  readonly firstRoute: FirstRoutes;
  readonly channel: Channel;
  readonly logger: IntakeLogger;
  readonly intake: Intake;
  /** Absent where the audit service is off. */
  readonly kept: KeptSubmissions | null;
}

/** Opens the log and the database when main asks, then serves; requests that arrive earlier wait. */
export function runIntakeWriter(port: MessagePort, { platform, firstRoute, pulse }: IntakeWriterData): void {
  const channel = new Channel(port, 'intake-writer', 'main');
  keepBeat(channel, new Pulse(pulse));
  const early: Flat[] = [];
  channel.onBatch = (batch) => early.push(batch);
  let logger: IntakeLogger | null = null;
  const opened = (): IntakeLogger => (logger ??= intakeLogger(platform));
  const ahead = submissionsAhead(platform, { warn: (fields, says) => opened().log.warn(fields, says) });
  channel.answer('thread.await', async () => {
    await readAhead(platform);
    settleNow();
    return null;
  });
  answerSoon(channel, ahead);
  channel.answer('intake.open', async () => {
    const lines = opened();
    const { log } = lines;
    const kept = platform.audit.enabled ? keptOf(channel) : null;
    const intake = await openIntakeOf(platform, channel, lines, { kept, database: await ahead.take() });
    const parts = { platform, firstRoute, channel, logger: lines, intake, kept };
    const host = hostOf(parts, new Outbox(channel, REPLIES, queueMicrotask));
    answerMain(parts);
    tend(intake, log);
    setInterval(() => tend(intake, log), limits.intake.keySweepEveryMs).unref();
    channel.onBatch = (batch) => host.receive(batch);
    for (const batch of early) host.receive(batch);
    intake.resumeNotices();
    intake.deliveries.resume();
    return { replayed: intake.replayed };
  });
}

/** The code that reads forms, and keys of a sealed log, is warm when they are read. What is wrong with them is told then: they may change until the turn of this node comes. */
async function readAhead(platform: Platform): Promise<void> {
  try {
    await loadSeal(platform);
    formsOf(platform);
  } catch {
    // as above
  }
}

/** Deletes expired submissions. A failing database ends the process by itself; a file that cannot be deleted is tried again. */
function tend(intake: Intake, log: ServiceLog): void {
  void intake.sweepKeys().catch(() => undefined);
  intake.expire().catch((error: Error) => {
    if (intake.ready) log.warn({ reason: error.message }, 'submissions past their retention are still there');
  });
}

/** Declares the handlers of main's asks and messages, once the service runs. */
function answerMain({ platform, channel, logger, intake, kept }: Parts): void {
  channel.answer('intake.rotate', async () => {
    await intake.rotate();
    logger.reopen();
    kept?.tell('intake.log.rotate', {});
    if (platform.intake.forms.reload === 'sighup') await reload(intake, platform, logger.log, kept);
    return null;
  });
  channel.answer('intake.person.erase', async ({ address }) => {
    try {
      const erased = await intake.erasePerson(address);
      kept?.tell('intake.person.erase', { forms: erased.forms });
      return erased;
    } catch (error) {
      kept?.tell('intake.person.erase', {}, 'failed');
      throw error;
    }
  });
  channel.answer('thread.copy', async ({ directory }) => ({ copied: await intake.copyTo(directory) }));
  channel.answer('intake.refused', (refused) => {
    intake.refused(refused);
    return null;
  });
  channel.answer('notice.take', (wish) => intake.takeNotices(wish));
  channel.answer('notice.settle', (settled) => {
    intake.noticeSettled(settled);
    return null;
  });
  channel.answer('submission.take', (wish) => intake.deliveries.take(wish));
  channel.answer('submission.settle', (settled) => intake.deliveries.settle(settled));
  channel.answer('thread.retire', () => {
    intake.retire();
    return null;
  });
  channel.answer('intake.seal', async () => {
    await intake.seal();
    return null;
  });
  channel.answer('thread.drain', async () => {
    await intake.close();
    kept?.flush();
    logger.flush();
    return null;
  });
}

function keptOf(channel: Channel): KeptSubmissions {
  return new KeptSubmissions({
    clock: systemClock,
    everyMs: limits.audit.intakeEventMs,
    after: (ms, run) => void setTimeout(run, ms).unref(),
    tell: (event) => channel.tell('audit.event', event),
  });
}

async function openIntakeOf(
  platform: Platform,
  channel: Channel,
  { log, submissions }: IntakeLogger,
  { kept, database }: { readonly kept: KeptSubmissions | null; readonly database: PostgresSubmissions | null },
): Promise<Intake> {
  return openIntake({
    settings: intakeSettings(platform),
    forms: formsOf(platform),
    version: skepVersion(),
    clock: systemClock,
    ids: new IdSource(systemClock),
    database,
    log,
    line: submissions,
    noticesPending: () => channel.tell('notice.pending', { tenantNo: NO_TENANT }),
    submissionsPending: (tenants) => channel.tell('submission.pending', { tenants }),
    ...(kept !== null && { kept: (batch) => kept.add(batch) }),
    onFatal: await fatalIn('intake-writer'),
  });
}

/** The forms of the platform file's directory. Throws with every fault: file, line, column and how to mend it. */
function formsOf(platform: Platform): readonly FormDefinition[] {
  const { forms: place, notify, outbound } = platform.intake;
  const hosts = new PrivateHosts([...platform.outbound.allow_private, ...(outbound.allow_private ?? [])]);
  const loaded = loadForms(place.dir, notify.enabled ? { reachable: hosts } : {});
  if ('problems' in loaded)
    throw new Error(`the forms in ${place.dir} do not load:\n${renderProblems(loaded.problems)}`);
  const forms = Object.values(loaded.forms);
  if (platform.service === 'intake') assertNoTenant(forms);
  return forms;
}

/** Intake by itself has no tenants. */
function assertNoTenant(forms: readonly FormDefinition[]): void {
  const form = forms.find(({ tenant }) => tenant !== undefined);
  if (form === undefined) return;
  const mend = 'run a node (skep serve) with that tenant, or remove `tenant`';
  throw new Error(`${form.where}: form ${form.id} belongs to a tenant, and skep intake has none: ${mend}`);
}

/** Reads the forms again (SIGHUP). Forms that do not load, or would retype or remove a column, change nothing, and the log says why. */
async function reload(
  intake: Intake,
  platform: Platform,
  log: ServiceLog,
  kept: KeptSubmissions | null,
): Promise<void> {
  try {
    const forms = formsOf(platform);
    await intake.reload(forms);
    log.info({ forms: forms.length }, 'the forms were read again');
    kept?.tell('intake.forms.reload', { forms: forms.length });
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'the forms were not read again; those from before serve on');
    kept?.tell('intake.forms.reload', {}, 'refused');
  }
}

function hostOf({ platform, firstRoute, channel, logger, intake }: Parts, outbox: Outbox): Host {
  const service = intakeService(intake);
  return new Host({
    log: logger.log,
    routes: atNumbers(compileRows(platform, service.name, configuredIntake(platform), firstRoute[service.name]!)),
    services: new Map([[service.name, service]]),
    planeNo: null,
    wake: () => Promise.reject(new Error('intake knows no tenant')),
    send: (no, status, headers, body) => outbox.batch.push(no, status, headers, body),
    later: setImmediate,
    monotonic: () => performance.now(),
    spans: threadSpans(platform, (batch) => channel.tell('node.spans', batch)),
  });
}
