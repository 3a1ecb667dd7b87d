/** The settings that the node started with, for pages that name its file or say what it is set to: docs/contract/node.md §3. */
import { queryOptions } from '@tanstack/react-query';
import { skep } from '../session/session.ts';

export interface Setting {
  readonly key: string;
  /** Null where it is secret, too. */
  readonly value: unknown;
  readonly secret: boolean;
  readonly set: boolean;
  /** Null where the platform was not made from a file. */
  readonly source: 'file' | 'environment' | 'flag' | 'default' | null;
  /** The line, the variable or the flag. */
  readonly from: string | null;
}

interface Page {
  readonly file: string | null;
  readonly settings: readonly Setting[];
  readonly next: string | null;
}

export interface Settings {
  /** The platform file; null where the node has none. */
  readonly file: string | null;
  readonly of: ReadonlyMap<string, Setting>;
}

const PER_PAGE = '500';

/** Asked for once: they change with a restart alone, and each question is on record. */
export const settings = queryOptions({
  queryKey: ['node', 'settings'],
  queryFn: async ({ signal }): Promise<Settings> => {
    const of = new Map<string, Setting>();
    for (let after: string | null = null; ;) {
      const query = new URLSearchParams({ limit: PER_PAGE, ...(after !== null && { after }) });
      const answer = await skep.transport.send({
        method: 'GET',
        path: '/superadmin/node/configuration',
        query,
        signal,
      });
      const { file, settings: found, next } = answer.json as Page;
      for (const one of found) of.set(one.key, one);
      if (next === null) return { file, of };
      after = next;
    }
  },
  staleTime: Infinity,
});

/** Whether the node keeps audit logs. */
export const keepsLogs = ({ of }: Settings): boolean => of.get('audit.enabled')?.value === true;
