/** A thread that writes 500 lines of uneven length to the node's log. */
import { workerData } from 'node:worker_threads';
import { NodeLog, type LogOptions } from '#runtime/observe/logger.ts';

const { options, service } = workerData as { options: LogOptions; service: string };
const log = new NodeLog(options).for(service);
for (let i = 0; i < 500; i++) log.info({ i, padding: 'x'.repeat((i * 37) % 3000) }, 'line');
