/** The runbook of nodes on a log says what they say: each line that it quotes, each metric, alert and command is one of the product, and each alert of such nodes is in it. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ROOT } from '#runtime/place.ts';
import { metricsIn, RULES, rulesOf } from '#test/kit/alert-rules.ts';

const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');
const page = read('docs/operate/cluster-runbook.md');
/** Texts that are written over several lines are one, and what is put into them is left out. */
const source = globSync(['runtime/**/*.ts', 'storage/**/*.ts'], { cwd: ROOT })
  .map(read)
  .join('\n')
  .replaceAll(/['"`]\s*\+\s*['"`]/g, '');
const spans = [...page.matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
const alertsIn = (text: string): string[] => [...text.matchAll(/\bSkep[A-Z]\w+/g)].map(([name]) => name);

/** What a program prints: spans of several words that are neither commands nor settings. */
const quotes = spans.filter(
  (span) => span.includes(' ') && !/^(?:skep|patronictl) /.test(span) && !/^[\w.]+: [\w.]+$/.test(span),
);

/** The parts of a quote that are not in the source. */
const strange = (quote: string): string[] =>
  quote
    .split('…')
    .map((part) => part.trim())
    .filter((part) => !source.includes(part));

test('what it quotes stands in the source', () => {
  expect(quotes.length).toBeGreaterThan(25);
  expect(quotes.filter((quote) => strange(quote).length > 0)).toEqual([]);
  expect(strange('the shards were copied, and … never said so')).toEqual(['never said so']);
});

test('its metrics are declared, and its alerts are those of the file', () => {
  const declared = new Set([...source.matchAll(/'(skep_\w+)'/g)].map(([, name]) => name!));
  const named = metricsIn(page);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !declared.has(name))).toEqual([]);
  const alerts = new Set([...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!));
  expect(alertsIn(page).filter((name) => !alerts.has(name))).toEqual([]);
  const cluster = [...rulesOf('skep-cluster').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
  expect(cluster.filter((name) => !alertsIn(page).includes(name))).toEqual([]);
});

test('its times and sizes are those of the limits', () => {
  const { followFaultMs, leaseMs, link } = limits.cluster;
  const { copyLateMs, copyRetryMs, logLateMs, logWaitingBytesMax } = limits.storage;
  for (const said of [
    `\`cluster.lease\` ${leaseMs / 1000} s`,
    `writes wait for it\`, within ${logLateMs / 1000} s`,
    `once ${logWaitingBytesMax / 2 ** 20} MiB of a host wait`,
    `after ${link.retryMs} ms at first and every ${link.retryMsMax / 1000} s at most`,
  ])
    expect(page).toContain(said);
  // Written out there: each minute, every ten minutes, after half an hour.
  expect([followFaultMs, copyRetryMs, copyLateMs].map((ms) => ms / 60_000)).toEqual([1, 10, 30]);
});

test('its commands are verbs of the command line', () => {
  const reference = read('docs/reference/cli.md');
  const verbs = spans.flatMap((span) => /^skep(?: [a-z][a-z-]*(?!\w))+/.exec(span)?.[0] ?? []);
  expect(new Set(verbs).size).toBeGreaterThan(5);
  expect(verbs.filter((verb) => !reference.includes(`## ${verb}\n`))).toEqual([]);
});

test('each section says the five points, in their order', () => {
  const [, ...sections] = page.split(/^## /m);
  const points = sections.map((text) => {
    const title = text.slice(0, text.indexOf('\n'));
    return [title, [...text.matchAll(/^- \*\*([^:*]+):\*\*/gm)].map(([, point]) => point)] as const;
  });
  const whole = points.filter(([title]) => title !== 'What is not built');
  expect(whole.length).toBe(points.length - 1);
  for (const [title, found] of whole)
    expect([title, found]).toEqual([title, ['See', 'Means', 'By itself', 'Do', 'Over when']]);
});
