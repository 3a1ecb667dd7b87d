import { parentPort, workerData } from 'node:worker_threads';
import { beginThread } from './keep-beat.ts';
import { runIntakeWriter, type IntakeWriterData } from './intake-writer.ts';

beginThread(workerData as IntakeWriterData);
runIntakeWriter(parentPort!, workerData as IntakeWriterData);
