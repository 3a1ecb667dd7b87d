import { parentPort, workerData } from 'node:worker_threads';
import { beatOf } from './keep-beat.ts';
import type { BeatingData } from './keep-beat.ts';
import { runIntakeWriter } from './intake-writer.ts';
import type { IntakeWriterData } from './intake-writer.ts';

beatOf(workerData as BeatingData);
runIntakeWriter(parentPort!, workerData as IntakeWriterData);
