import { parentPort, workerData } from 'node:worker_threads';
import { beginThread } from './keep-beat.ts';
import { runCourier, type CourierData } from './courier.ts';

beginThread(workerData as CourierData);
runCourier(parentPort!, workerData as CourierData);
