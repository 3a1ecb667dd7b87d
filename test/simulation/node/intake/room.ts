/** The room of the intake writer: its log and its database, and visitors who submit. As runtime/threads/intake-writer.ts puts it together. */
import { Call } from '#actors/host/call.ts';
import { openIntake, type Intake } from '#actors/intake/open-intake.ts';
import { defaultIntakeSettings, type IntakeSettings } from '#actors/intake/settings.ts';
import { intakeRoutes } from '#actors/intake/routes.ts';
import { IdSource } from '#actors/kit/id.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import { DATA_DIR } from '../host.ts';
import type { Settings } from '../settings.ts';
import { livingKey } from '../tenants/position.ts';

export interface Submitted {
  readonly form: string;
  /** '' for none. */
  readonly key: string;
  readonly body: object;
}

export interface IntakeAnswer {
  readonly status: number;
  /** Of a stored one. */
  readonly id: string | null;
}

const quiet = (): void => undefined;
const fields = { name: { type: 'string', required: true }, text: { type: 'string' } } as const;
const ROUTE = { no: 0, name: 'submit', service: 'intake', row: intakeRoutes().submit, paramNames: ['id'] };

/** The forms by the tenants that there are: one keeps its submissions at intake. */
export function formsOf({ rooms, intake }: Settings): FormDefinition[] {
  const here = { id: 'here', fields, where: 'forms/here.yaml:1:1' };
  if (!rooms.has('tenants') || intake.files === 'log') return [here];
  return [here, ...[0, 1].map((no) => ({ ...here, id: `tenant${no}`, tenant: livingKey(no) }))];
}

export function storageOf({ intake }: Settings): IntakeSettings['storage'] {
  const paths = { embeddedPath: `${DATA_DIR}/intake/database`, jsonlDir: `${DATA_DIR}/intake/log` };
  const { files, rotate: jsonlRotate, batchMax, queueDepth } = intake;
  const { storage } = defaultIntakeSettings(paths);
  const backend = files === 'log' ? 'jsonl' : 'embedded';
  return { ...storage, backend, walJsonl: files !== 'database', jsonlRotate, batchMax, queueDepth };
}

export class SimulatedIntake {
  readonly #intake: Intake;
  readonly #forms: readonly FormDefinition[];

  constructor(intake: Intake, forms: readonly FormDefinition[]) {
    this.#intake = intake;
    this.#forms = forms;
  }

  /** How many submissions their tenants have not taken. */
  get waiting(): number {
    const tenants = this.#forms.flatMap(({ tenant }) => tenant ?? []);
    return tenants.reduce((sum, tenant) => sum + this.#intake.deliveries.settle({ tenant, ids: [] }).waiting, 0);
  }

  async submit({ form, key, body }: Submitted): Promise<IntakeAnswer> {
    const extra = `content-type:application/json\n${key === '' ? '' : `idempotency-key:${key}\n`}${CALLER_IP}:192.0.2.7\n`;
    const call = new Call(1, ROUTE, 0, 'POST', form, '', '', 'r', extra, JSON.stringify(body));
    const outcome = await this.#intake.submit(call);
    if (isRefusal(outcome)) return { status: outcome.status, id: null };
    return { status: outcome.status, id: (JSON.parse(outcome.text!) as { id: string }).id };
  }

  rotate(): Promise<void> {
    return this.#intake.rotate();
  }

  close(): Promise<void> {
    return this.#intake.close();
  }
}

export interface IntakePorts {
  readonly settings: Settings;
  readonly channel: Channel;
  readonly onFatal: (error: Error) => void;
}

export async function openIntakeRoom({ settings, channel, onFatal }: IntakePorts): Promise<SimulatedIntake> {
  const forms = formsOf(settings);
  const storage = storageOf(settings);
  const intake = await openIntake({
    settings: { ...defaultIntakeSettings(storage), storage },
    forms,
    version: '',
    clock: systemClock,
    ids: new IdSource(systemClock),
    log: { info: quiet, warn: quiet, error: quiet },
    line: quiet,
    submissionsPending: (tenants) => channel.tell('submission.pending', { tenants }),
    onFatal,
  });
  channel.answer('submission.take', (wish) => intake.deliveries.take(wish));
  channel.answer('submission.settle', (settled) => intake.deliveries.settle(settled));
  intake.deliveries.resume();
  return new SimulatedIntake(intake, forms);
}
