/** How long work gives way to others: it asks between small steps whether its slice is over. */
export interface Pace {
  /** Whether it has worked long enough at a stretch. */
  readonly over: boolean;
  /** Counts what is done, for the progress that an operator sees. */
  did(entries: number): void;
  /** Resolves when the work may go on. Throws when the work was called off. */
  rest(): Promise<void>;
  /** Resolves after so many milliseconds. Throws as `rest` does. */
  wait(ms: number): Promise<void>;
}
