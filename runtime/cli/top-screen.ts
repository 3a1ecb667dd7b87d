/** The screen of `skep top`. */
import type { DegradedThing } from '#runtime/observe/ask-operations.ts';
import { renderRows } from './output.ts';
import type { Figures, Load } from './top-figures.ts';

export interface ScreenWish {
  readonly url: string;
  readonly columns: number;
  /** How many tenants are shown. */
  readonly tenants: number;
}

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;
/** Degraded things that are shown; the others are counted. */
const DEGRADED_SHOWN = 5;
const COLUMNS = ['name', 'per second', 'failures', 'p50', 'p99'];

export function screenOf(figures: Figures, degraded: readonly DegradedThing[], wish: ScreenWish): string {
  const { all, services, tenants } = figures;
  const parts = [
    headOf(figures, wish.url),
    table('service', [...services, { ...all, name: 'all' }]),
    tenants.length === 0 ? '' : table('tenant', tenants.slice(0, wish.tenants)),
    degradedText(degraded),
  ];
  const lines = parts
    .filter((part) => part !== '')
    .join('\n')
    .split('\n');
  return lines.map((line) => line.slice(0, wish.columns)).join('\n');
}

function headOf(figures: Figures, url: string): string {
  const { connections, connections_max: most, in_flight: flying, shed_per_second: shed } = figures;
  return [
    `${url}  over ${figures.seconds.toFixed(1)} s`,
    `processor ${figures.cores_busy.toFixed(2)} cores   memory ${Math.round(figures.memory_bytes / MEBIBYTE)} MiB   disk ${(figures.disk_free_bytes / GIBIBYTE).toFixed(1)} GiB free   ${figures.awake_tenants} tenants awake`,
    `connections ${connections} of ${most}   under way ${flying}   shed ${shed.toFixed(1)}/s   journal syncs ${figures.journal_syncs_per_second.toFixed(0)}/s`,
    '',
  ].join('\n');
}

function table(title: string, loads: readonly Load[]): string {
  const rows = loads.map(({ name, per_second: rate, failures, p50_ms: p50, p99_ms: p99 }) => ({
    name,
    'per second': rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate),
    failures: failures === 0 ? '' : `${(failures * 100).toFixed(1)} %`,
    p50: timeText(p50),
    p99: timeText(p99),
  }));
  return renderRows(rows, 'table', COLUMNS).replace(/^NAME/, title.toUpperCase().padEnd(4));
}

function timeText(ms: number | null): string {
  if (ms === null) return '';
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function degradedText(things: readonly DegradedThing[]): string {
  if (things.length === 0) return 'nothing is degraded\n';
  const shown = things.slice(0, DEGRADED_SHOWN).map(({ scope, name, reason }) => `  ${scope} ${name}: ${reason}\n`);
  const more = things.length - shown.length;
  return `${things.length} degraded\n${shown.join('')}${more > 0 ? `  and ${more} more: see /readyz\n` : ''}`;
}
