/** Debian's Prometheus beside a test: it scrapes a node every second, knows the project's rules, and answers questions about them. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULES } from './alert-rules.ts';
import { freePortBase } from './free-port.ts';

export const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

if (!hasPrometheus) {
  const message = 'skipped: no prometheus on this machine, so alerts and the dashboard were NOT evaluated';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

/** An answer of its HTTP API, version 1. */
interface Answer<D> {
  readonly status: string;
  readonly error?: string;
  readonly data: D;
}

export interface Prometheus {
  /** How many series an expression gives now. Throws where it is none. */
  series(expression: string): Promise<number>;
  /** Trace ids of the exemplars that it has of a series. */
  traces(series: string): Promise<string[]>;
  /** Its rules, with what it says of each. */
  rules(): Promise<{ readonly name: string; readonly health: string; readonly lastError?: string }[]>;
  stop(): Promise<void>;
}

/** `target`: the URL of the operations listener. */
export async function startPrometheus(target: string): Promise<Prometheus> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-prometheus-'));
  const listen = `127.0.0.1:${await freePortBase()}`;
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'skep', static_configs: [{ targets: [new URL(target).host] }] }],
  };
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config)); // JSON is YAML
  const flags = [
    `--config.file=${dir}/prometheus.yml`,
    `--storage.tsdb.path=${dir}/data`,
    '--enable-feature=exemplar-storage',
  ];
  const child = spawn('prometheus', [...flags, `--web.listen-address=${listen}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ask = async <D>(path: string): Promise<D> => {
    if (child.exitCode !== null) throw new Error(`prometheus has ended: ${said}`);
    const answer = (await (await fetch(`http://${listen}/api/v1/${path}`)).json()) as Answer<D>;
    if (answer.status !== 'success') throw new Error(answer.error);
    return answer.data;
  };
  return {
    series: async (expression) =>
      (await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(expression)}`)).result.length,
    traces: async (series) => {
      const asked = new URLSearchParams({ query: series, start: '0', end: String(Date.now() / 1000 + 60) });
      const found = await ask<{ exemplars: { labels: { trace_id: string } }[] }[]>(
        `query_exemplars?${asked.toString()}`,
      );
      return found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels.trace_id));
    },
    rules: async () => (await ask<{ groups: { rules: [] }[] }>('rules')).groups.flatMap(({ rules }) => rules),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
