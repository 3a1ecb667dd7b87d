/**
 * The newest traced request of each bucket of `skep_request_seconds`, for scrapers that take exemplars: a dashboard leads from a slow bucket to a
 * trace that is in it. The buckets are fixed, so is their number.
 */
import { numberText, type Exemplar, type MetricFamily } from './exposition.ts';
import { bucketOf } from './meter.ts';
import { METRICS } from './metric-rows.ts';

const { name: NAME, bounds } = METRICS.requestSeconds;
const limitsOf = [...bounds, Infinity].map(numberText);

export class Exemplars {
  /** By service, class and upper bound. */
  readonly #newest = new Map<string, Exemplar>();

  /** A traced request was answered; `reads`: of a GET or HEAD. */
  add(service: string, reads: boolean, exemplar: Exemplar): void {
    const le = limitsOf[bucketOf(bounds, exemplar.value)]!;
    this.#newest.set(keyOf({ service, class: reads ? 'read' : 'write', le }), exemplar);
  }

  /** The families, with the exemplars at their buckets. */
  in(families: readonly MetricFamily[]): MetricFamily[] {
    return families.map((family) => (family.name === NAME ? this.#with(family) : family));
  }

  #with(family: MetricFamily): MetricFamily {
    const samples = family.samples.map((sample) => {
      const exemplar = sample.suffix === '_bucket' ? this.#newest.get(keyOf(sample.labels)) : undefined;
      return exemplar === undefined ? sample : { ...sample, exemplar };
    });
    return { ...family, samples };
  }
}

const keyOf = (labels: Readonly<Record<string, string>>): string =>
  `${labels['service']} ${labels['class']} ${labels['le']}`;
