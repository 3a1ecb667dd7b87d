import { parentPort, workerData } from 'node:worker_threads';
import { runRateKeeper } from './rate-keeper.ts';
import type { RateKeeperData } from './rate-keeper.ts';

runRateKeeper(parentPort!, workerData as RateKeeperData);
