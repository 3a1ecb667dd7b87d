/** A flame picture of CPU profiles: for each thread what called what, as wide as it took of the thread's time. Plain SVG, no script; a name is shown whole where a mouse rests on it. */
import { IDLE, selfMs, type CallFrame, type CpuProfile, type ThreadProfile } from './profile.ts';
import { escaped } from './svg.ts';

/** A function, with all calls of it by the same callers as one. */
export interface Flame {
  readonly name: string;
  readonly kind: 'own' | 'package' | 'node' | 'native' | 'garbage';
  /** Its own time and that of what it called. */
  ms: number;
  readonly below: Map<string, Flame>;
}

export interface FlameThread {
  readonly title: string;
  readonly flame: Flame;
}

const WIDTH = 1200;
const ROW = 17;
const HEAD = 26;
/** Narrower ones are left out: they could not be read, and there are thousands. */
const WIDTH_MIN = 6;
const NAMED_WIDTH_MIN = 34;
const CHAR = 6.1;

/** What a thread did, from its outermost function on. Idle time is left out. */
export function flameOf(profile: CpuProfile): Flame {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const times = selfMs(profile);
  const root: Flame = { name: '', kind: 'native', ms: 0, below: new Map() };
  const first = profile.nodes[0];
  // A stack of its own: a profile may be deeper than calls may.
  const left: { id: number; into: Flame }[] = (first?.children ?? []).map((id) => ({ id, into: root }));
  const callers = new Map<Flame, Flame>();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { callFrame, children = [] } = nodes.get(next.id)!;
    if (callFrame.functionName === IDLE) continue;
    const flame = calledBy(next.into, callFrame);
    callers.set(flame, next.into);
    flame.ms += times.get(next.id) ?? 0;
    for (const id of children) left.push({ id, into: flame });
  }
  // Callers came before what they called.
  for (const [flame, caller] of [...callers].toReversed()) caller.ms += flame.ms;
  return root;
}

function calledBy({ below }: Flame, frame: CallFrame): Flame {
  const name = nameOf(frame);
  let found = below.get(name);
  if (found === undefined) below.set(name, (found = { name, kind: kindOf(frame), ms: 0, below: new Map() }));
  return found;
}

/** Bundles have no names of files that say anything: there the function's name stands alone. */
function nameOf({ functionName, url }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  const file = url.endsWith('.ts') ? url.slice(url.lastIndexOf('/') + 1) : '';
  return file === '' ? name : `${name} ${file}`;
}

function kindOf({ functionName, url }: CallFrame): Flame['kind'] {
  if (functionName === '(garbage collector)') return 'garbage';
  if (url === '') return 'native';
  if (url.startsWith('node:')) return 'node';
  return url.includes('/node_modules/') ? 'package' : 'own';
}

const KINDS: readonly (readonly [Flame['kind'], string])[] = [
  ['own', 'Skep'],
  ['package', 'packages'],
  ['node', 'Node.js'],
  ['native', 'native code'],
  ['garbage', 'garbage collection'],
];

/** Colours hold under dark text on both grounds. */
const STYLE = `text{font:11px ui-monospace,monospace;fill:#111827}.t,.k{font:600 13px system-ui,sans-serif;fill:#6b7280}.k{font-weight:400}
.own{fill:#fbbf24}.package{fill:#86efac}.node{fill:#93c5fd}.native{fill:#cbd5e1}.garbage{fill:#fca5a5}
@media(prefers-color-scheme:light){.t,.k{fill:#1f2937}}@media(prefers-color-scheme:dark){.t,.k{fill:#e5e7eb}}`;

/** Of what threads left, with how busy each was while it was watched. */
export function pictureOf(title: string, threads: readonly ThreadProfile[]): string {
  const drawn = threads.map(({ profile, busyMs }) => {
    const wholeMs = profile.timeDeltas.reduce((sum, micros) => sum + micros, 0) / 1000;
    const share = Math.round((100 * busyMs) / Math.max(wholeMs, 1));
    return {
      title: `${threadOf(profile)}: busy ${share} % of ${Math.round(wholeMs / 1000)} s`,
      flame: flameOf(profile),
    };
  });
  return flameSvg(title, drawn);
}

/** The program of a thread, by the one of its files that stands in `threads/`. */
function threadOf({ nodes }: CpuProfile): string {
  const files = nodes.map(({ callFrame: { url } }) => /([\w-]+)\.worker\.[jt]s$/.exec(url)?.[1]);
  return files.find((name) => name !== undefined) ?? 'main and door';
}

/** Threads one below the other. Their widths are alike: each shows parts of its own time. */
export function flameSvg(title: string, threads: readonly FlameThread[]): string {
  let y = HEAD * 2;
  const parts = threads.map((thread) => {
    const { rows, text } = threadSvg(thread, y);
    y += HEAD + rows * ROW + 8;
    return text;
  });
  const summary = threads.map((thread) => thread.title).join('; ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img">`,
    `<title>${escaped(`${title}: ${summary}`)}</title>`,
    `<style>${STYLE}</style>`,
    `<text class="t" x="0" y="16">${escaped(title)}</text>`,
    ...KINDS.map(([kind, text], i) => {
      const x = i * 150;
      return `<rect class="${kind}" x="${x}" y="27" width="12" height="12"/><text class="k" x="${x + 18}" y="38">${text}</text>`;
    }),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function threadSvg({ title, flame }: FlameThread, top: number): { rows: number; text: string } {
  const lines = [`<text class="t" x="0" y="${top + 17}">${escaped(title)}</text>`];
  let rows = 0;
  const draw = (caller: Flame, left: number, depth: number): void => {
    let x = left;
    for (const each of [...caller.below.values()].sort((a, b) => b.ms - a.ms)) {
      const width = (WIDTH * each.ms) / flame.ms;
      if (width >= WIDTH_MIN) {
        rows = Math.max(rows, depth + 1);
        lines.push(boxSvg(each, { x, y: top + HEAD + depth * ROW, width, share: each.ms / flame.ms }));
        draw(each, x, depth + 1);
      }
      x += width;
    }
  };
  draw(flame, 0, 0);
  return { rows, text: lines.join('\n') };
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly share: number;
}

function boxSvg({ name, kind }: Flame, { x, y, width, share }: Box): string {
  const at = x.toFixed(1);
  const long = Math.floor((width - 6) / CHAR);
  const shown = name.length > long ? `${name.slice(0, Math.max(1, long - 1))}…` : name;
  const label = width < NAMED_WIDTH_MIN ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(shown)}</text>`;
  const rect = `<rect class="${kind}" x="${at}" y="${y}" width="${(width - 0.6).toFixed(1)}" height="${ROW - 1}"/>`;
  return `<g><title>${escaped(`${name}: ${(100 * share).toFixed(1)} %`)}</title>${rect}${label}</g>`;
}
