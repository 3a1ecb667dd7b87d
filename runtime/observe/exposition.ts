/** Prometheus text exposition format 0.0.4, and OpenMetrics 1.0.0 (https://github.com/prometheus/OpenMetrics), which has exemplars. */
import type { MetricType } from './metric-rows.ts';

/** A traced request that is counted in a sample. */
export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  /** Seconds since 1970. */
  readonly at: number;
}

export interface Sample {
  /** After the family's name: '', '_bucket', '_sum' or '_count'. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Shown in OpenMetrics alone. */
  readonly exemplar?: Exemplar;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** A metric of the whole node: one sample without labels. */
export const oneSample = (name: string, type: 'gauge' | 'counter', help: string, value: number): MetricFamily => ({
  name,
  type,
  help,
  samples: [{ labels: {}, value }],
});

/** The text of all families; each is introduced by its HELP and TYPE lines. */
export function expose(families: readonly MetricFamily[]): string {
  let out = '';
  for (const { name, type, help, samples } of families) {
    out += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = '', labels, value } of samples)
      out += `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`;
  }
  return out;
}

const TOTAL = '_total';

/** The same as OpenMetrics text: a counter's family is named without its `_total`, and buckets may have exemplars. */
export function exposeOpenMetrics(families: readonly MetricFamily[]): string {
  let out = '';
  for (const { name, type, help, samples } of families) {
    const family = type === 'counter' && name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name;
    out += `# HELP ${family} ${escape(help)}\n# TYPE ${family} ${type}\n`;
    for (const { suffix = '', labels, value, exemplar } of samples)
      out += `${name}${suffix}${labelText(labels)} ${numberText(value)}${exemplarText(exemplar)}\n`;
  }
  return `${out}# EOF\n`;
}

function exemplarText(exemplar: Exemplar | undefined): string {
  if (exemplar === undefined) return '';
  const { traceId, value, at } = exemplar;
  return ` # ${labelText({ trace_id: traceId })} ${numberText(value)} ${at.toFixed(3)}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

export function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
