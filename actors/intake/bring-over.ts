/**
 * Takes submissions that another backend left on this machine into the database: content, keys, what waits for the courier and for tenants, recorded columns. The files are moved aside behind it, so that they are taken once; a taking-in
 * that was cut short goes on at the next start.
 */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import type { Log } from '#actors/host/activation.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { limits } from '#config/limits.ts';
import type { NoticeKind } from '#actors/protocol/notice.ts';
import { eachStored } from './archive/store.ts';
import type { Columns } from './columns.ts';
import type { Turns } from './postgres/turns/store.ts';
import type { IntakeStore } from './store-port.ts';
import type { StoreSettings } from './store-settings.ts';
import type { Accepted } from './submission.ts';

/** The settings of the store that lies on this machine, under those of `backend: postgres`; null where there is none. */
export function leftIn(settings: StoreSettings): StoreSettings | null {
  const { embeddedPath, jsonlDir } = settings;
  const walJsonl = existsSync(jsonlDir) && readdirSync(jsonlDir).some((name) => name.endsWith('.jsonl'));
  if (existsSync(embeddedPath)) return { ...settings, backend: 'embedded', walJsonl };
  return walJsonl ? { ...settings, backend: 'jsonl' } : null;
}

export interface BringingPorts {
  readonly turns: Pick<Turns, 'takeIn' | 'change'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info'> | undefined;
  readonly open: () => Promise<IntakeStore>;
}

/** Gives how many submissions the database did not have. */
export async function bringOver(left: StoreSettings, { turns, clock, log, open }: BringingPorts): Promise<number> {
  const owed = await owedBy(open);
  const forms = new Set<string>();
  let batch: Accepted[] = [];
  let taken = 0;
  const flush = async (): Promise<void> => {
    taken += await turns.takeIn(batch);
    batch = [];
  };
  await eachStored(left, null, async (submission) => {
    forms.add(submission.form);
    batch.push({ ...submission, ...owed(submission.id) });
    if (batch.length >= limits.intake.databaseSliceLines) await flush();
  });
  await flush();
  const { columns, keepers } = await recordsOf(open, forms);
  await turns.change({ keepers, forms: [...columns].map(([form, one]) => [form, JSON.stringify(one)] as const) });
  const moved = moveAside(left, timestamp(clock.now()).replaceAll(/[:.]/g, '-'));
  log?.info({ submissions: taken, moved }, 'submissions that lay on this machine are in the database of the log now');
  return taken;
}

/** What the store before owed for a submission, by its id. */
async function owedBy(open: () => Promise<IntakeStore>): Promise<(id: string) => Pick<Accepted, 'notices' | 'tenant'>> {
  const store = await open();
  const kinds = new Map<string, NoticeKind[]>();
  for (const { submission, kind } of store.notices)
    kinds.set(submission.id, [...(kinds.get(submission.id) ?? []), kind]);
  const tenants = new Map(store.deliveries.map(({ id, tenant }) => [id, tenant]));
  await store.close();
  return (id) => {
    const tenant = tenants.get(id);
    return { notices: kinds.get(id) ?? [], ...(tenant !== undefined && { tenant }) };
  };
}

async function recordsOf(
  open: () => Promise<IntakeStore>,
  forms: ReadonlySet<string>,
): Promise<{ readonly columns: ReadonlyMap<string, Columns>; readonly keepers: readonly string[] }> {
  const store = await open();
  const columns = new Map<string, Columns>();
  for (const form of forms) {
    const found = store.columns(form);
    if (found !== undefined) columns.set(form, found);
  }
  const { keepers } = store;
  await store.close();
  return { columns, keepers };
}

/** Beside where they were; an operator deletes them. */
function moveAside({ embeddedPath, jsonlDir }: StoreSettings, stamp: string): readonly string[] {
  const moved: string[] = [];
  for (const path of [embeddedPath, jsonlDir]) {
    if (!existsSync(path)) continue;
    renameSync(path, `${path}.before-${stamp}`);
    moved.push(`${path}.before-${stamp}`);
  }
  return moved;
}
