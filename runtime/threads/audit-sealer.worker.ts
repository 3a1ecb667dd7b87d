import { parentPort, workerData } from 'node:worker_threads';
import { beatOf } from './keep-beat.ts';
import type { BeatingData } from './keep-beat.ts';
import { runAuditSealer } from './audit-sealer.ts';
import type { AuditSealerData } from './audit-sealer.ts';

beatOf(workerData as BeatingData);
runAuditSealer(parentPort!, workerData as AuditSealerData);
