/** What the tabs that share changes say to each other. Types alone. */
import type { Change } from './change.ts';
import type { Failure } from './errors.ts';

/** To the tab that leads. */
export type ToLeader =
  /** Tell me this query's changes behind `after`, or behind where you are. */
  | { readonly t: 'want'; readonly tab: string; readonly id: number; readonly key: string; readonly after: number }
  | { readonly t: 'drop'; readonly tab: string; readonly id: number; readonly key: string }
  /** Is there one? */
  | { readonly t: 'ask' };

/** Of the tab that leads; `by` names it for as long as it does. */
export type FromLeader = { readonly by: string } & (
  | { readonly t: 'lead' }
  /** It leads no longer. */
  | { readonly t: 'gone' }
  /** The answer to `want`: changes behind `after` are told from now on. */
  | { readonly t: 'at'; readonly tab: string; readonly id: number; readonly after: number; readonly isLive: boolean }
  /** Whether it is connected has changed. */
  | { readonly t: 'live'; readonly isLive: boolean }
  /** A change; null where the position has moved without one. */
  | {
      readonly t: 'told';
      readonly key: string;
      readonly seq: number;
      readonly change: Change<unknown> | null;
      readonly chars: number;
    }
  /** The position is too old: each subscription asks the node from its own. */
  | { readonly t: 'lost'; readonly key: string }
  | { readonly t: 'ended'; readonly key: string; readonly failure: Failure }
);

export type ShareMessage = ToLeader | FromLeader;

/** What the connections of the tab that leads tell it. */
export interface Feeding {
  /** Position of each query that some tab wants. */
  readonly wanted: ReadonlyMap<string, { readonly after: number }>;
  told(key: string, seq: number, change: Change<unknown> | null, chars: number): void;
  lost(key: string): void;
  ended(key: string, failure: Failure): void;
  /** Whether the node answers. */
  live(isLive: boolean): void;
}
