import { parentPort, workerData } from 'node:worker_threads';
import { beginThread } from './keep-beat.ts';
import { runAuditSealer, type AuditSealerData } from './audit-sealer.ts';

beginThread(workerData as AuditSealerData);
runAuditSealer(parentPort!, workerData as AuditSealerData);
