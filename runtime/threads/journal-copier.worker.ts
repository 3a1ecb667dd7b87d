import { parentPort, workerData } from 'node:worker_threads';
import { runJournalCopier, type JournalCopierData } from './journal-copier.ts';
import { beginThread } from './keep-beat.ts';

beginThread(workerData as JournalCopierData);
runJournalCopier(parentPort!, workerData as JournalCopierData);
