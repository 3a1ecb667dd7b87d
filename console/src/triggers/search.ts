/** What the address says of the events of triggers. Pure. */
import { plain, type Search } from '../frame/search.ts';
import { OUTCOMES, type Outcome } from './shapes.ts';

export interface TriggerSearch {
  /** Those of one outcome alone; absent for all. */
  readonly outcome?: Outcome;
  /** Those of one trigger alone. */
  readonly trigger?: string;
  /** The id of the event whose sheet is open. */
  readonly event?: string;
}

/** The search of an address, whatever a person has written there. */
export function readTriggerSearch({ outcome, trigger, event }: Search): TriggerSearch {
  const text = (value: unknown): string => (value === undefined ? '' : plain([value].flat()[0]));
  const known = OUTCOMES.find((name) => name === text(outcome));
  return {
    ...(known !== undefined && { outcome: known }),
    ...(text(trigger) !== '' && { trigger: text(trigger) }),
    ...(text(event) !== '' && { event: text(event) }),
  };
}
