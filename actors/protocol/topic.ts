/** A message that crosses a thread: what it takes, what it gives, who may send it to whom. */

export type ThreadName =
  | 'main'
  | 'tenant-host'
  | 'intake-writer'
  | 'rate-keeper'
  | 'courier'
  | 'audit-sealer'
  | 'vault-keeper';

/** Every thread but main. */
export const CHILD_THREADS = [
  'tenant-host',
  'intake-writer',
  'rate-keeper',
  'courier',
  'audit-sealer',
  'vault-keeper',
] as const satisfies readonly ThreadName[];

export interface TopicRow<Body, Reply> {
  /** The threads that send it: on another thread's channel it cannot be sent, and no answer to it can be declared. */
  readonly from: ThreadName | readonly ThreadName[];
  /** The threads that take it. */
  readonly to: ThreadName | readonly ThreadName[];
  /** How long its answer is waited for. 0: it is told, not asked, and nothing waits. */
  readonly deadlineMs: number;
  /** Never set: they carry the types. */
  readonly body?: Body;
  readonly reply?: Reply;
}

export const topic = <Body, Reply>(row: TopicRow<Body, Reply>): TopicRow<Body, Reply> => row;
