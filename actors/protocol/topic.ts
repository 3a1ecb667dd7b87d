/** A message that crosses a thread: what it takes, what it gives, who may send it. */

export type ThreadName =
  | 'main'
  | 'tenant-host'
  | 'intake-writer'
  | 'rate-keeper'
  | 'courier'
  | 'audit-sealer'
  | 'vault-keeper';

export interface TopicRow<Body, Reply> {
  readonly from: ThreadName;
  readonly to: ThreadName;
  /** 0: it is told, not asked, and nobody waits. */
  readonly deadlineMs: number;
  /** `restart`: asked again of the thread that takes the dead one's place. */
  readonly retry: 'never' | 'restart';
  readonly summary: string;
  /** Never set: they carry the types. */
  readonly body?: Body;
  readonly reply?: Reply;
}

export const topic = <Body, Reply>(row: TopicRow<Body, Reply>): TopicRow<Body, Reply> => row;
