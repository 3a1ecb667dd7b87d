/** Prometheus text exposition format 0.0.4. */
import type { MetricType } from './metric-rows.ts';

export interface Sample {
  /** After the family's name: '', '_bucket', '_sum' or '_count'. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly samples: readonly Sample[];
}

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
