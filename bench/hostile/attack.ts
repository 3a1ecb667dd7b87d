/** An attack as data: what a caller of one tenant sends to cost another tenant of the same host its time, or the node its memory. */

export const KINDS = [
  'jq',
  'cel',
  'sql',
  'graphql',
  'pattern',
  'template',
  'filter',
  'json',
  'multipart',
  'script',
  'answer',
  'upload',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  /** As it is sent: what it holds is encoded. */
  readonly path: string;
  /** The body as text, made when it is sent; `application/json` unless `type` says otherwise. */
  readonly body?: () => string;
  readonly type?: string;
}

export interface Attack {
  readonly name: string;
  readonly kind: Kind;
  /** The finding whose attack it is. */
  readonly finding?: 'R1' | 'R2' | 'R11' | 'D9' | 'O5';
  /** Requests that make what it needs; each is answered below 300. `{id}` in a later path is the id of the row that the first one made. */
  readonly before?: readonly Sent[];
  readonly send: Sent;
  /** How often it is sent at once. */
  readonly times?: number;
  /**
   * `asked`: each answer is read. `unread`: the answer is never read, and the connection kept open for a while. `trickled`: the body comes a byte
   * at a time and never ends.
   */
  readonly how?: 'asked' | 'unread' | 'trickled';
  /** Statuses that its sender may get. */
  readonly statuses: readonly number[];
}
