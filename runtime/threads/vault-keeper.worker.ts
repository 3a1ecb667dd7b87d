import { parentPort, workerData } from 'node:worker_threads';
import { beatOf } from './keep-beat.ts';
import type { BeatingData } from './keep-beat.ts';
import { runVaultKeeper } from './vault-keeper.ts';
import type { VaultKeeperData } from './vault-keeper.ts';

beatOf(workerData as BeatingData);
runVaultKeeper(parentPort!, workerData as VaultKeeperData);
