/** Submits without end and tells each acknowledged id on its standard output, until it is killed. Argument: the data directory. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { IdSource } from '#actors/kit/id.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { openIntake, type Intake } from '#actors/intake/open-intake.ts';
import { intakeService } from '#actors/intake/service.ts';
import { defaultIntakeSettings } from '#actors/intake/settings.ts';
import { ask, contact, good } from './kit.ts';

const IN_FLIGHT = 32;

/** This file, which runs as a process of its own. */
export const KILLED_CHILD = import.meta.filename;

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A synchronous write, so that an id told is an id that the parent can read whatever happens next. */
async function submitForEver(intake: Intake, worker: number): Promise<never> {
  const service = intakeService(intake);
  for (let n = 0; ; n++) {
    const headers = { 'idempotency-key': `${process.pid}-${worker}-${n}` };
    const { status, body } = await ask(service, { body: good, headers });
    if (status === 200) writeSync(1, `${body['id'] as string}\n`);
    if (n % 50 === 49) await intake.rotate();
  }
}

async function main(path: string): Promise<void> {
  const intake = await openIntake({
    settings: defaultIntakeSettings({ embeddedPath: join(path, 'db'), jsonlDir: join(path, 'log') }),
    forms: [contact],
    version: '0',
    clock: systemClock,
    ids: new IdSource(systemClock),
    log: quiet,
    onFatal: (error) => {
      throw error;
    },
  });
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, worker) => submitForEver(intake, worker)));
}

if (process.argv[1] === KILLED_CHILD) await main(process.argv[2]!);
