/** What the people who run the node do to a tenant as a whole. No route does it: each is a command on the node (docs/contract/tenants.md §1, docs/contract/identity.md §10.4). Pure. */
import { commandOf } from '../node/command.ts';
import { keyOfText } from '../session/position.ts';
import type { Tenant } from './shapes.ts';

export const ACT_NAMES = [
  'suspend',
  'read-only',
  'resume',
  'backup',
  'export',
  'restore',
  'restore-set',
  'move',
  'repair',
  'delete',
] as const;
export type ActName = (typeof ACT_NAMES)[number];

/** What a person fills in. */
export type Blank = 'reason' | 'to' | 'directory' | 'from' | 'set' | 'as' | 'shard';
export type Given = Partial<Readonly<Record<Blank, string>>>;

interface Act {
  readonly verb: string;
  /** Whether it takes something from the tenant or its people, or makes a tenant: then its command is shown behind the typed name. */
  readonly isGrave: boolean;
  readonly blanks: readonly Blank[];
  /** Its record in the log of the node. */
  readonly record: string;
  readonly suits: (tenant: Pick<Tenant, 'state' | 'standing'>) => boolean;
  readonly words: (key: string, given: Given) => readonly string[];
}

type Of = Parameters<Act['suits']>[0];
const isWhole = ({ state }: Of): boolean => !['restoring', 'moving', 'deleting'].includes(state);
const reasonOf = ({ reason = '' }: Given): readonly string[] =>
  reason.trim() === '' ? [] : ['--reason', reason.trim()];
const asOf = ({ as = '' }: Given): readonly string[] => ['--as', keyOfText(as) ?? as];

export const ACTS: Readonly<Record<ActName, Act>> = {
  suspend: {
    verb: 'tenant suspend',
    isGrave: true,
    blanks: ['reason'],
    record: 'platform.tenant.suspend',
    suits: (of) => isWhole(of) && of.standing !== 'suspended',
    words: (key, given) => [key, ...reasonOf(given)],
  },
  'read-only': {
    verb: 'tenant read-only',
    isGrave: true,
    blanks: ['reason'],
    record: 'platform.tenant.read_only',
    suits: (of) => isWhole(of) && of.standing !== 'read-only',
    words: (key, given) => [key, ...reasonOf(given)],
  },
  resume: {
    verb: 'tenant resume',
    isGrave: false,
    blanks: ['reason'],
    record: 'platform.tenant.resume',
    suits: (of) => isWhole(of) && of.standing !== 'serving',
    words: (key, given) => [key, ...reasonOf(given)],
  },
  backup: {
    verb: 'tenant backup',
    isGrave: false,
    blanks: ['to'],
    record: 'platform.tenant.backup',
    suits: isWhole,
    words: (key, { to = '' }) => [key, '--to', to],
  },
  export: {
    verb: 'tenant export',
    isGrave: false,
    blanks: ['directory'],
    record: 'platform.tenant.export',
    suits: isWhole,
    words: (key, { directory = '' }) => [key, '--to', directory],
  },
  restore: {
    verb: 'tenant restore',
    isGrave: true,
    blanks: ['from', 'as'],
    record: 'platform.tenant.restore',
    suits: isWhole,
    words: (_key, given) => [given.from ?? '', ...asOf(given)],
  },
  'restore-set': {
    verb: 'backup restore',
    isGrave: true,
    blanks: ['set', 'as'],
    record: 'platform.tenant.restore',
    suits: isWhole,
    words: (key, given) => ['--set', given.set ?? '', '--tenant', key, ...asOf(given)],
  },
  move: {
    verb: 'tenant move',
    isGrave: true,
    blanks: ['shard'],
    record: 'platform.tenant.move',
    suits: isWhole,
    words: (key, { shard = '' }) => [key, '--shard', shard],
  },
  repair: {
    verb: 'tenant repair',
    isGrave: false,
    blanks: [],
    record: 'platform.tenant.repair',
    suits: isWhole,
    words: (key) => [key],
  },
  delete: {
    verb: 'tenant delete',
    isGrave: true,
    blanks: [],
    record: 'platform.tenant.delete',
    suits: () => true,
    words: (key) => [key, '--confirm', key],
  },
};

/** What stands in the blanks at first. `set`: of a set that was chosen. */
export function startOf({ key, tenant, shard }: Pick<Tenant, 'key' | 'tenant' | 'shard'>, set?: string): Given {
  const file = key.replaceAll(':', '-');
  return {
    to: `${file}.skep`,
    from: `${file}.skep`,
    directory: file,
    as: `${key.slice(0, -tenant.length)}${tenant.slice(0, 58)}-copy`,
    shard: shard === 0 ? '1' : '0',
    set: set ?? '',
  };
}

/** Which blank does not hold what it should. */
export function wrongBlank(name: ActName, given: Given): Blank | null {
  const isWrong = (blank: Blank): boolean => {
    const text = (given[blank] ?? '').trim();
    if (blank === 'reason') return text.length > 1024;
    if (blank === 'as') return keyOfText(text) === null;
    if (blank === 'shard') return !/^\d{1,4}$/.test(text);
    return text === '';
  };
  return ACTS[name].blanks.find(isWrong) ?? null;
}

/** The command; null while a blank holds something else than it should. */
export const actCommand = (name: ActName, key: string, file: string | null, given: Given): string | null =>
  wrongBlank(name, given) === null ? commandOf(ACTS[name].verb, file, ACTS[name].words(key, given)) : null;

export const actNamed = (text: string): ActName | undefined => ACT_NAMES.find((one) => one === text);
