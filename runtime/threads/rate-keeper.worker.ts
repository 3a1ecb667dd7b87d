import { parentPort, workerData } from 'node:worker_threads';
import { beginThread } from './keep-beat.ts';
import { runRateKeeper, type RateKeeperData } from './rate-keeper.ts';

beginThread(workerData as RateKeeperData);
runRateKeeper(parentPort!, workerData as RateKeeperData);
