import { parentPort, workerData } from 'node:worker_threads';
import { beatOf } from './keep-beat.ts';
import type { BeatingData } from './keep-beat.ts';
import { runRateKeeper } from './rate-keeper.ts';
import type { RateKeeperData } from './rate-keeper.ts';

beatOf(workerData as BeatingData);
runRateKeeper(parentPort!, workerData as RateKeeperData);
