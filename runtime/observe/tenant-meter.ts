/**
 * Requests and their times by tenant, of the door. So many tenants have series of their own, in the order of their first answers; the others are
 * counted together, so that a node of ten thousand tenants does not show half a million series. A deleted tenant makes room at the next scrape.
 */
import type { MetricFamily, Sample } from './exposition.ts';
import { STATUS_LABELS } from './metric-labels.ts';
import { bucketOf, statusClass } from './meter.ts';
import { histogramSamples } from './scrape.ts';

/** What is asked of a tenant. */
interface Counted {
  readonly no: number;
  readonly position: { readonly key: string };
}

interface Series {
  readonly name: string;
  /** A cell for each class of statuses. */
  readonly statuses: number[];
  /** A cell for each bucket, one above all bounds, and the sum. */
  readonly times: number[];
}

/** Seconds. Fewer than those of a service: each tenant has its own. */
const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];
/** No tenant has this name: names of tenants have four parts. */
const OTHERS = 'others';

const seriesOf = (name: string): Series => ({
  name,
  statuses: new Array<number>(STATUS_LABELS.length).fill(0),
  times: new Array<number>(BOUNDS.length + 2).fill(0),
});

export class TenantMeter {
  readonly #most: number;
  readonly #isThere: (no: number) => boolean;
  readonly #own = new Map<number, Series>();
  readonly #others = seriesOf(OTHERS);

  /** `most`: how many tenants have series of their own; `isThere`: whether there is still a tenant of this number. */
  constructor(most: number, isThere: (no: number) => boolean) {
    this.#most = most;
    this.#isThere = isThere;
  }

  count({ no, position }: Counted, status: number, seconds: number): void {
    const series = this.#own.get(no) ?? this.#begin(no, position.key);
    series.statuses[statusClass(status)]! += 1;
    series.times[bucketOf(BOUNDS, seconds)]! += 1;
    series.times[BOUNDS.length + 1]! += seconds;
  }

  families(): MetricFamily[] {
    for (const no of this.#own.keys()) if (!this.#isThere(no)) this.#own.delete(no);
    const all = [...this.#own.values(), this.#others];
    return [
      {
        name: 'skep_tenant_requests_total',
        type: 'counter',
        help: `Requests answered, by tenant; ${OTHERS}: tenants beyond the first ${this.#most}.`,
        samples: all.flatMap(statusSamples),
      },
      {
        name: 'skep_tenant_request_seconds',
        type: 'histogram',
        help: 'As skep_request_seconds, by tenant.',
        samples: all.flatMap(({ name, times }) => histogramSamples({ tenant: name }, BOUNDS, times)),
      },
    ];
  }

  #begin(no: number, key: string): Series {
    if (this.#own.size >= this.#most) return this.#others;
    const series = seriesOf(key);
    this.#own.set(no, series);
    return series;
  }
}

function statusSamples({ name, statuses }: Series): Sample[] {
  return statuses.map((value, at) => ({ labels: { tenant: name, status: STATUS_LABELS[at]! }, value }));
}
