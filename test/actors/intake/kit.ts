/** An intake over ports in memory, and calls to it as the door would hand them over. */
import type { FormDefinition } from '#config/definitions/form.ts';
import { Call } from '#actors/host/call.ts';
import type { AnyHandler, Service } from '#actors/host/service.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { CALLER_IP, type Body } from '#actors/protocol/frame.ts';
import { refusalBody, type Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { openIntake, type Intake, type IntakeOptions } from '#actors/intake/open-intake.ts';
import { intakeService } from '#actors/intake/service.ts';
import { defaultIntakeSettings, type IntakeSettings } from '#actors/intake/settings.ts';
import { openEmbeddedStore, type Database } from '#actors/intake/embedded/store.ts';
import { openJsonlStore } from '#actors/intake/jsonl/store.ts';
import { noticesOf, type NotifySettings } from '#actors/intake/notice-outbox.ts';
import { parseLine, type Submission } from '#actors/intake/submission.ts';
import { openLog } from '#storage/log/jsonl-log.ts';
import type { LogDisk } from '#storage/log/disk.ts';
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import { MemoryDisk } from '#test/storage/log/memory-disk.ts';
import { MemoryDatabase } from './memory-database.ts';

export const contact: FormDefinition = {
  id: 'contact',
  title: 'Contact',
  fields: {
    name: { type: 'string', required: true, min_length: 2, max_length: 20 },
    email: { type: 'email', required: true },
    age: { type: 'integer', min: 18, max: 120 },
    topic: { type: 'enum', enum: ['sales', 'support'] },
    news: { type: 'boolean' },
  },
  honeypot: 'website',
  where: 'forms/contact.yaml:1:1',
};

export const good = { name: 'Ada Lovelace', email: 'ada@example.org', age: 36 };

/** The counters of `/metrics` at the start. */
export const zeros = {
  accepted: 0,
  validation_failed: 0,
  unknown_form: 0,
  too_large: 0,
  unsupported_media_type: 0,
  bad_request: 0,
  rate_limited: 0,
  shedding: 0,
  bot: 0,
  forbidden: 0,
  internal: 0,
};

/** Content type of a plain HTML form. */
export const URLENCODED = { 'content-type': 'application/x-www-form-urlencoded' };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface Ask {
  readonly route?: string;
  readonly form?: string;
  readonly body?: unknown;
  /** Instead of `body`: as it travels. */
  readonly raw?: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler gives, as the caller would see it. */
function seen(outcome: Reply | Refusal): Answer {
  const { status, headers = {} } = outcome;
  const text = outcome.kind === 'refusal' ? refusalBody(outcome) : (outcome.text ?? JSON.stringify(outcome.body));
  const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status, headers, text, body };
}

export function callOf(service: Service, { route = 'submit', form = 'contact', body, raw, headers = {} }: Ask): Call {
  const row = service.routes[route]!;
  const compiled = {
    no: 0,
    name: route,
    service: 'intake',
    row,
    paramNames: route === 'submit' || route === 'captcha' ? ['id'] : [],
  };
  const all: Readonly<Record<string, string>> = {
    'content-type': 'application/json',
    ...headers,
    [CALLER_IP]: '192.0.2.7',
  };
  const travelling = (row.headers ?? []).filter((name) => all[name] !== undefined);
  const extra = travelling.map((name) => `${name}:${all[name]!}\n`).join('');
  const bytes = raw ?? Buffer.from(body === undefined ? '' : JSON.stringify(body)).toString('latin1');
  return new Call(1, compiled, 0, row.methods[0], form, '', '', 'request-1', extra, bytes);
}

/** Asks a service and reads its answer. */
export async function ask(service: Service, what: Ask): Promise<Answer> {
  const handler: AnyHandler = service.handlers[what.route ?? 'submit']!;
  return seen(await handler(callOf(service, what)));
}

export interface Rig {
  readonly intake: Intake;
  readonly service: Service;
  readonly disk: MemoryDisk;
  readonly database: MemoryDatabase;
  readonly clock: SimulatedClock;
  readonly lines: Record<string, unknown>[];
  readonly fatal: Error[];
  readonly submit: (what: Ask) => Promise<Answer>;
}

export interface RigOptions {
  readonly forms?: readonly FormDefinition[];
  readonly disk?: MemoryDisk;
  readonly database?: MemoryDatabase;
  readonly clock?: SimulatedClock;
  readonly storage?: Partial<IntakeSettings['storage']>;
  readonly notify?: NotifySettings;
  readonly more?: Partial<IntakeOptions>;
}

/** Opens an intake in memory. */
export async function rig(options: RigOptions = {}): Promise<Rig> {
  const { disk = new MemoryDisk(), database = new MemoryDatabase(), clock = new SimulatedClock() } = options;
  const defaults = defaultIntakeSettings({ embeddedPath: '', jsonlDir: '' });
  const settings = {
    ...defaults,
    storage: { ...defaults.storage, ...options.storage },
    notify: options.notify ?? null,
  };
  const forms = options.forms ?? [contact];
  const { notify } = settings;
  const kindsOf =
    notify === null ? undefined : (id: string) => noticesOf(forms.find((form) => form.id === id) ?? contact, notify);
  const tenantOf = (id: string) => forms.find((form) => form.id === id)?.tenant;
  const lines: Record<string, unknown>[] = [];
  const fatal: Error[] = [];
  const note = (fields: object): void => void lines.push(fields as Record<string, unknown>);
  const log = { disk, rotate: settings.storage.jsonlRotate };
  const intake = await openIntake({
    settings,
    forms,
    version: '1.2.3',
    clock,
    ids: new IdSource(clock),
    log: { info: note, warn: note, error: note },
    onFatal: (error) => void fatal.push(error),
    store: () =>
      settings.storage.backend === 'jsonl'
        ? openJsonlStore(log, clock, kindsOf)
        : openEmbeddedStore(database, settings.storage.walJsonl ? log : null, clock, kindsOf, tenantOf),
    ...options.more,
  });
  const service = intakeService(intake);
  return { intake, service, disk, database, clock, lines, fatal, submit: (what) => ask(service, what) };
}

/** Every submission in a log, in order. */
export async function submissionsInLog(disk: LogDisk): Promise<Submission[]> {
  const all: Submission[] = [];
  const options = { disk, stem: 'submissions', rotate: 'none', now: () => 0 } as const;
  const log = await openLog(options, { place: null }, (line) => void all.push(parseLine(line.body)));
  await log.close();
  return all;
}

const submissions = new Table<Submission>('submission', TABLES.submission);

/** Every submission in a database, by form and id. */
export function submissionsInDatabase(database: Database): Submission[] {
  return [...submissions.scan(database)];
}
