import { parentPort, workerData } from 'node:worker_threads';
import { runAuditSealer } from './audit-sealer.ts';
import type { AuditSealerData } from './audit-sealer.ts';

runAuditSealer(parentPort!, workerData as AuditSealerData);
