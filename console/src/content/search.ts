/** What the address says of documents. Pure. */
import { plain, type Search } from '../frame/search.ts';
import { OUTCOMES, STATES, type DeliveryOutcome, type State } from './states.ts';

export interface DocumentSearch {
  /** The language that is shown; the default one of the app where it is absent. */
  readonly locale?: string;
}

export interface OneSearch extends DocumentSearch {
  /** The version that is compared with the document as it is. */
  readonly version?: number;
}

export interface DocumentsSearch extends DocumentSearch {
  /** Those of one state alone; absent for all. */
  readonly status?: State;
}

export interface DeliveriesSearch {
  /** Those of one outcome alone; absent for all. */
  readonly outcome?: DeliveryOutcome;
  /** The id of the delivery whose sheet is open. */
  readonly delivery?: string;
}

const text = (value: unknown): string => (value === undefined ? '' : plain([value].flat()[0]));

/** The search of an address, whatever a person has written there. */
export function readDocumentSearch({ locale }: Search): DocumentSearch {
  return text(locale) === '' ? {} : { locale: text(locale) };
}

export function readOneSearch({ version, ...rest }: Search): OneSearch {
  const number = text(version);
  return { ...readDocumentSearch(rest), ...(/^[1-9]\d{0,14}$/.test(number) && { version: Number(number) }) };
}

export function readDocumentsSearch({ status, ...rest }: Search): DocumentsSearch {
  const known = STATES.find((one) => one === text(status));
  return { ...readDocumentSearch(rest), ...(known !== undefined && { status: known }) };
}

export function readDeliveriesSearch({ outcome, delivery }: Search): DeliveriesSearch {
  const known = OUTCOMES.find((one) => one === text(outcome));
  return { ...(known !== undefined && { outcome: known }), ...(text(delivery) !== '' && { delivery: text(delivery) }) };
}
