/** The rules of ARCHITECTURE.md, "Four floors", as functions over files: which room may import which. Each rule has a planted violation in floor-plan.test.ts. */
import { posix } from 'node:path';
import { scan, type Import, type Scan, type SourceFile } from './source.ts';

export interface Violation {
  readonly rule: string;
  readonly path: string;
  readonly what: string;
}

/** A path, or a folder with everything below it (ending in `/`), and why it is let off a rule. */
export type Exemptions = Readonly<Record<string, string>>;

export interface FloorPlan {
  /** Lowest first: a floor imports only itself and those before it. Floors of the same rank do not meet. */
  readonly floors: readonly string[];
  /** Folders that may import every floor and that no floor imports. */
  readonly outside: readonly string[];
  /** Folders that import nothing but themselves, not even packages, and that no floor imports: they are published by themselves. */
  readonly apart: readonly string[];
  /** Rooms of such a folder that may import packages, each with those; the rest of the folder does not import the room. */
  readonly apartWith: Readonly<Record<string, readonly string[]>>;
  readonly services: readonly string[];
  /** Rooms beside the services on their floor that a service may import, each with the rooms of the floor that it may import itself. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
  /** Rooms that only those named here import. */
  readonly reserved: Readonly<Record<string, Exemptions>>;
  /** Packages and files that a room does without. */
  readonly without: Readonly<Record<string, readonly string[]>>;
  /** Rooms in which nothing is ambient, as in a service. */
  readonly givenTime: readonly string[];
  /** The file that is a package's only door: no other file of the floors loads it; types are free. */
  readonly doors: Readonly<Record<string, string>>;
  /** The room at the bottom, ending in `/`: everything may import it, it imports nothing but itself and Node's own modules. */
  readonly bottom: string;
  readonly entries: (path: string) => boolean;
  readonly mayUseStorage: Exemptions;
  readonly mayBeOrphan: Exemptions;
  readonly mayExportDefault: Exemptions;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly specifier: string;
  readonly how: Import['how'];
}

interface Building {
  readonly plan: FloorPlan;
  readonly paths: ReadonlySet<string>;
  readonly scans: ReadonlyMap<string, Scan>;
  /** Imports of files of the project. */
  readonly edges: readonly Edge[];
  /** Imports of packages. */
  readonly packages: readonly Edge[];
}

type Rule = (building: Building) => Violation[];

/** All violations of all rules. */
export function checkFloorPlan(files: readonly SourceFile[], plan: FloorPlan): Violation[] {
  const building = survey(files, plan);
  return RULES.flatMap((rule) => rule(building));
}

function survey(files: readonly SourceFile[], plan: FloorPlan): Building {
  const scans = new Map(files.map(({ path, text }) => [path, scan(text)]));
  const edges: Edge[] = [];
  const packages: Edge[] = [];
  for (const [from, { imports }] of scans)
    for (const { specifier, how } of imports) {
      const to = resolve(from, specifier, how === 'url');
      if (how === 'url' && !scans.has(to!)) continue; // a folder, or a file of data
      (to === null ? packages : edges).push({ from, to: to ?? specifier, specifier, how });
    }
  return { plan, paths: new Set(scans.keys()), scans, edges, packages };
}

/** The path that a specifier means, or null for a package. */
function resolve(from: string, specifier: string, isUrl: boolean): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.') || isUrl) return posix.join(posix.dirname(from), specifier);
  return null;
}

const floorOf = (path: string): string => path.split('/')[0]!;

/** `actors/data`, `storage/journal`, `test/actors/data`; the floor itself for a file at its root. */
export function roomOf(path: string): string {
  const folders = path.split('/').slice(0, -1);
  return folders.slice(0, folders[0] === 'test' ? 3 : 2).join('/');
}

const serviceOf = (path: string, plan: FloorPlan): string | undefined =>
  plan.services.find((name) => path.startsWith(`actors/${name}/`));

function isExempt(path: string, exemptions: Exemptions): boolean {
  return Object.keys(exemptions).some((key) => path === key || (key.endsWith('/') && path.startsWith(key)));
}

function say(rule: string, { from, specifier }: Edge, why: string): Violation {
  return { rule, path: from, what: `imports ${specifier}: ${why}` };
}

const importsRunDownwards: Rule = ({ edges, plan }) =>
  edges
    .filter(({ from, to }) => {
      if ([...plan.outside, ...plan.apart].includes(floorOf(from))) return false;
      const rank = plan.floors.indexOf(floorOf(from));
      const target = plan.floors.indexOf(floorOf(to));
      return target < 0 || target > rank;
    })
    .map((edge) => say('floors', edge, 'imports run only downwards, and no floor imports tests or benches'));

const apartIsAlone: Rule = ({ edges, packages, plan }) => {
  const isApart = (path: string): boolean => plan.apart.includes(floorOf(path));
  const own = edges.filter(
    ({ from, to }) =>
      isApart(from) &&
      (floorOf(to) !== floorOf(from) || (plan.apartWith[roomOf(to)] !== undefined && roomOf(to) !== roomOf(from))),
  );
  const foreign = packages.filter(({ from, to }) => isApart(from) && !plan.apartWith[roomOf(from)]?.includes(to));
  return [...own, ...foreign].map((edge) => say('apart', edge, 'it is published by itself, without any dependency'));
};

const servicesAreRooms: Rule = ({ edges, plan }) =>
  edges
    .filter(({ from, to }) => {
      if (floorOf(from) !== 'actors' || floorOf(to) !== 'actors' || roomOf(from) === roomOf(to)) return false;
      if (serviceOf(from, plan) !== undefined) return plan.shared[roomOf(to)] === undefined;
      const known = plan.shared[roomOf(from)];
      return known === undefined ? serviceOf(to, plan) !== undefined : !known.includes(roomOf(to));
    })
    .map((edge) => say('rooms', edge, 'services speak by message only; what they share knows none of them'));

const reservedRooms: Rule = ({ edges, plan }) =>
  edges
    .filter(({ from, to }) => {
      const guests = plan.reserved[roomOf(to)];
      if (guests === undefined || roomOf(from) === roomOf(to)) return false;
      return !plan.outside.includes(floorOf(from)) && !isExempt(from, guests);
    })
    .map((edge) => say('reserved', edge, 'only those whom the plan names import this room'));

const roomsDoWithout: Rule = ({ edges, packages, plan }) =>
  [...edges, ...packages]
    .filter(({ from, to }) => plan.without[roomOf(from)]?.includes(to) === true)
    .map((edge) => say('without', edge, `${roomOf(edge.from)} does without it`));

const doorKnowsRowsOnly: Rule = ({ edges, plan }) =>
  edges
    .filter(({ from, to }) => from.startsWith('runtime/door/') && serviceOf(to, plan) !== undefined)
    .filter(({ to }) => !['routes.ts', 'refusals.ts'].includes(posix.basename(to)))
    .map((edge) => say('door', edge, 'the door imports routes, never handlers'));

const storesTouchStorage: Rule = ({ edges, plan }) =>
  edges
    .filter(({ from, to }) => floorOf(from) === 'actors' && floorOf(to) === 'storage')
    .filter(({ from }) => posix.basename(from) !== 'store.ts' && !isExempt(from, plan.mayUseStorage))
    .map((edge) => say('storage', edge, "only a room's store.ts touches #storage"));

const bottomKnowsNothing: Rule = ({ edges, packages, plan }) => {
  const isIn = (path: string): boolean => path.startsWith(plan.bottom);
  const own = edges.filter(({ from, to }) => isIn(from) && !isIn(to));
  const foreign = packages.filter(({ from, to }) => isIn(from) && !to.startsWith('node:'));
  return [...own, ...foreign].map((edge) => say('bottom', edge, "only node's own modules and the room itself"));
};

/** A floor's root is its hall: between it and the rooms of the floor both spellings are right. */
const spellings: Rule = ({ edges }) =>
  edges
    .filter(({ from, to, specifier, how }) => {
      const [here, there] = [roomOf(from), roomOf(to)];
      const isHall = here === floorOf(to) || there === floorOf(from);
      if (specifier.startsWith('#')) return here === there;
      return how !== 'url' && here !== there && !isHall;
    })
    .map((edge) => say('spelling', edge, './ inside a room, # across rooms'));

const oneDoorPerPackage: Rule = ({ packages, plan }) =>
  packages
    .filter(({ from, to, how }) => {
      const door = plan.doors[to];
      return door !== undefined && how !== 'type' && from !== door && plan.floors.includes(floorOf(from));
    })
    .map((edge) => say('package', edge, `only ${plan.doors[edge.to]} imports it`));

const namedExportsOnly: Rule = ({ scans, plan }) =>
  [...scans]
    .filter(([path, { hasDefaultExport }]) => hasDefaultExport && !isExempt(path, plan.mayExportDefault))
    .map(([path]) => ({ rule: 'default', path, what: 'has a default export' }));

/** Time and chance are passed in: a service that reads them itself cannot run under the simulated clock. */
const nothingAmbient: Rule = ({ scans, plan }) =>
  [...scans]
    .filter(([path, { code }]) => isGivenTime(path, plan) && AMBIENT.test(code))
    .map(([path]) => ({
      rule: 'ambient',
      path,
      what: 'reads the clock or chance by itself; take them from the context',
    }));

const isGivenTime = (path: string, plan: FloorPlan): boolean =>
  serviceOf(path, plan) !== undefined || plan.givenTime.includes(roomOf(path));

const AMBIENT = /\bDate\.now\s*\(|\bnew\s+Date\s*\(\s*\)|\bMath\.random\s*\(|\bprocess\.env\b/;

/** Imports by tests do not keep a file of the floors alive. */
const noOrphans: Rule = ({ paths, edges, plan }) => {
  const counts = ({ from, to }: Edge) => from !== to && (floorOf(from) !== 'test' || floorOf(to) === 'test');
  const imported = new Set(edges.filter(counts).map(({ to }) => to));
  return [...paths]
    .filter((path) => !imported.has(path) && !plan.entries(path) && !isExempt(path, plan.mayBeOrphan))
    .map((path) => ({ rule: 'orphan', path, what: 'no file imports it' }));
};

/** Cycles of imports, types included: two files that know each other are one file. */
const noCycles: Rule = ({ paths, edges }) => {
  const next = new Map<string, string[]>([...paths].map((path) => [path, []]));
  for (const { from, to, how } of edges) if (how !== 'url' && paths.has(to)) next.get(from)!.push(to);
  const done = new Set<string>();
  const out: Violation[] = [];
  for (const path of paths) walk(path, [], next, done, out);
  return out;
};

function walk(path: string, trail: string[], next: Map<string, string[]>, done: Set<string>, out: Violation[]): void {
  const seenAt = trail.indexOf(path);
  if (seenAt >= 0) out.push({ rule: 'cycle', path, what: [...trail.slice(seenAt), path].join(' → ') });
  if (seenAt >= 0 || done.has(path)) return;
  trail.push(path);
  for (const to of next.get(path)!) walk(to, trail, next, done, out);
  trail.pop();
  done.add(path);
}

const RULES: readonly Rule[] = [
  importsRunDownwards,
  apartIsAlone,
  servicesAreRooms,
  reservedRooms,
  roomsDoWithout,
  doorKnowsRowsOnly,
  bottomKnowsNothing,
  storesTouchStorage,
  spellings,
  oneDoorPerPackage,
  namedExportsOnly,
  nothingAmbient,
  noOrphans,
  noCycles,
];
