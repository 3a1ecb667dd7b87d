import { parentPort, workerData } from 'node:worker_threads';
import { beatOf } from './keep-beat.ts';
import type { BeatingData } from './keep-beat.ts';
import { runCourier } from './courier.ts';
import type { CourierData } from './courier.ts';

beatOf(workerData as BeatingData);
runCourier(parentPort!, workerData as CourierData);
