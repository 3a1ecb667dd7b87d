import { parentPort, workerData } from 'node:worker_threads';
import { runVaultKeeper } from './vault-keeper.ts';
import type { VaultKeeperData } from './vault-keeper.ts';

runVaultKeeper(parentPort!, workerData as VaultKeeperData);
