/** A message that crosses a thread: its body, its reply, which threads send it and which take it. */

export type ThreadName =
  | 'main'
  | 'tenant-host'
  | 'intake-writer'
  | 'rate-keeper'
  | 'courier'
  | 'audit-sealer'
  | 'vault-keeper'
  | 'journal-copier';

/** Every thread but main. */
export const CHILD_THREADS = [
  'tenant-host',
  'intake-writer',
  'rate-keeper',
  'courier',
  'audit-sealer',
  'vault-keeper',
  'journal-copier',
] as const satisfies readonly ThreadName[];

export interface TopicRow<Body, Reply> {
  /** The threads that send it: on another thread's channel it cannot be sent, and no answer to it can be declared. */
  readonly from: ThreadName | readonly ThreadName[];
  /** The threads that take it. */
  readonly to: ThreadName | readonly ThreadName[];
  /** How long the sender waits for the answer. 0: a notification, which has none. */
  readonly deadlineMs: number;
  /** Never set: they carry the types. */
  readonly body?: Body;
  readonly reply?: Reply;
}

export const topic = <Body, Reply>(row: TopicRow<Body, Reply>): TopicRow<Body, Reply> => row;
