import { parentPort, workerData } from 'node:worker_threads';
import { runTenantHost } from './run-tenant-host.ts';
import type { TenantHostData } from './tenant-host-data.ts';

runTenantHost(parentPort!, workerData as TenantHostData);
