import { parentPort, workerData } from 'node:worker_threads';
import { runIntakeWriter } from './intake-writer.ts';
import type { IntakeWriterData } from './intake-writer.ts';

runIntakeWriter(parentPort!, workerData as IntakeWriterData);
