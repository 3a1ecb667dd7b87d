/** What the address says of the submissions of a form. Pure. */
import { plain, type Search } from '../frame/search.ts';
import { OUTCOMES, type Outcome } from './shapes.ts';

export interface FormSearch {
  /** Those of one outcome alone; absent for all. */
  readonly outcome?: Outcome;
  /** The id of the submission whose sheet is open. */
  readonly submission?: string;
}

/** The search of an address, whatever a person has written there. */
export function readFormSearch({ outcome, submission }: Search): FormSearch {
  const text = (value: unknown): string => (value === undefined ? '' : plain([value].flat()[0]));
  const known = OUTCOMES.find((name) => name === text(outcome));
  return {
    ...(known !== undefined && { outcome: known }),
    ...(text(submission) !== '' && { submission: text(submission) }),
  };
}
