import { parentPort, workerData } from 'node:worker_threads';
import { runCourier } from './courier.ts';
import type { CourierData } from './courier.ts';

runCourier(parentPort!, workerData as CourierData);
