import { parentPort, workerData } from 'node:worker_threads';
import { beginThread } from './keep-beat.ts';
import { runVaultKeeper, type VaultKeeperData } from './vault-keeper.ts';

beginThread(workerData as VaultKeeperData);
runVaultKeeper(parentPort!, workerData as VaultKeeperData);
