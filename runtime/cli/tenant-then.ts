/** `skep tenant restore --at`: a tenant as it was at a time, out of the history of a log, as another tenant of the node. */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { giveTo, ownerOf } from './keep-owner.ts';
import { askNode, guarded } from './operator-verb.ts';
import type { Row } from './output.ts';
import type { Terminal } from './terminal.ts';

export interface RestoreThen {
  readonly tenant: string;
  /** In milliseconds. */
  readonly at: number;
  readonly as: string;
  readonly otherDefinitions: boolean;
}

/** The command makes a file of the tenant beside the node, which restores it as any backup. */
export async function restoreTenantThen(platform: Platform, wish: RestoreThen, terminal: Terminal): Promise<Row> {
  const { as, at: untilMs, otherDefinitions, tenant } = wish;
  const told = (step: string): void => terminal.err(`${step}\n`);
  const owner = ownerOf(platform.storage.dir);
  const { thenScratch, writeTenantThen } = await import('#runtime/cluster/tenant-then.ts');
  const scratch = await guarded(() => thenScratch(platform));
  try {
    const wanted = { tenant, untilMs, scratch, otherDefinitions, told };
    const { path, report } = await guarded(() => writeTenantThen(platform, wanted));
    giveTo(owner, dirname(scratch)); // the node reads it
    const restored = await askNode(platform, 'tenant.restore', { from: path, as, otherDefinitions }, told);
    return { ...report, ...(restored as Row) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
    giveTo(owner, dirname(scratch));
  }
}
