/**
 * Every kind of file that lies in a node's directories, by its name below them. A file of no kind fails the test (matrix.test.ts): what a node
 * writes is tried. The patterns are extended regular expressions of POSIX, which injector.c reads too; a file is of the first kind that fits.
 */
import type { SiteName } from './sites.ts';

export interface Kind {
  readonly name: string;
  readonly path: string;
  /** The node that is tried. */
  readonly site: SiteName;
  /** Why no call is hit: what the nodes of the matrix do makes no such file. */
  readonly untried?: string;
  /** Whether a fault refuses the one who asked for what the file is of, and the node goes on. */
  readonly isOfOneCaller?: boolean;
}

const SHA = '[0-9a-f]{64}';
const UUID = '[0-9a-f]{8}-[0-9a-f-]{27}';
const JOURNAL = '[0-9]+-host-[0-9]+';
const LOG = 'data/audit/logs/(node|tenant)/.*';

const plain = (name: string, path: string): Kind => ({ name, path: `^${path}$`, site: 'plain' });
const vault = (name: string, path: string): Kind => ({ name, path: `^${path}$`, site: 'vault' });
/** A backup, an upload. */
const ofOneCaller = (name: string, path: string): Kind => ({ ...plain(name, path), isOfOneCaller: true });
const untried = (name: string, path: string, why: string): Kind => ({ ...plain(name, path), untried: why });

/** The first is every directory, which injector.c knows by itself. */
export const KINDS: readonly Kind[] = [
  { name: 'directory', path: '^$', site: 'plain' },
  plain('platform file', 'platform\\.yaml'),
  plain('lock', 'data/lock'),
  plain('format', 'data/format'),
  untried('format, new', 'data/format\\.new', 'another Skep served the directory before'),
  plain('epoch', 'data/epoch'),
  plain('epoch, new', 'data/epoch\\.new'),
  plain('ballast', 'data/ballast'),
  plain('ballast, new', 'data/ballast\\.new'),
  plain('clock', 'data/clock'),
  plain('directory id', 'data/id'),
  plain('outside mark', 'mark'),
  plain('outside mark, new', 'mark\\.new'),
  plain('control socket', 'data/control\\.sock'),

  plain('journal segment', `data/journal/${JOURNAL}/[0-9]+\\.segment`),
  plain('journal spare', `data/journal/${JOURNAL}/[0-9]+\\.spare`),
  plain('journal mark', `data/journal/${JOURNAL}/durable`),
  plain('journal shards', `data/journal/${JOURNAL}/shards`),
  plain('kept segment', `data/journal-kept/${JOURNAL}/[0-9]+\\.segment`),
  plain('kept journal', `data/journal-kept/${JOURNAL}/(closed|shards)`),
  plain('shard', 'data/shards/[0-9]+/data\\.mdb'),
  plain('shard readers', 'data/shards/[0-9]+/lock\\.mdb'),
  untried('scrub notes', 'data/shards/[0-9]+/(scrubbed\\.json|scrubbing)(\\.new)?', 'the scrubber has days'),

  plain('blob', `data/blobs/[0-9]+/[0-9a-f]{2}/${SHA}`),
  ofOneCaller('blob upload', `data/blobs/[0-9]+/uploads/${UUID}`),
  plain('revision', `data/revisions/[0-9a-f]{2}/${SHA}`),
  untried('revision upload', `data/revisions/uploads/${UUID}`, 'a tenant gets a new product'),
  plain('loaded revision', `data/revisions\\.loading/${UUID}/.*`),
  plain('asset', `data/content/[0-9]+/[a-z]+/[0-9a-f]{2}/${SHA}`),
  ofOneCaller('asset upload', `data/content/[0-9]+/[a-z]+/uploads/${UUID}`),
  ofOneCaller('asset note', 'data/content/[0-9]+/[a-z]+/index/[^/]+'),
  ofOneCaller('made image', `data/content/[0-9]+/[a-z]+/derived/${SHA}/[0-9a-f]+`),
  ofOneCaller('partial note', 'data/content/[0-9]+/[a-z]+/partial/[^/]+\\.json'),
  ofOneCaller('partial upload', 'data/content/[0-9]+/[a-z]+/partial/[^/.]+'),

  plain('intake log', 'data/intake/jsonl/submissions-[^/]+\\.jsonl'),
  plain('intake database', 'data/intake/embedded/data\\.mdb'),
  plain('intake readers', 'data/intake/embedded/lock\\.mdb'),

  plain('audit key', 'data/audit/keys/.*/signing-key\\.pem'),
  plain('audit key, new', 'data/audit/keys/.*/signing-key\\.pem\\.new'),
  plain('audit public key', 'data/audit/keys/.*/signing-key\\.pub\\.pem'),
  plain('audit public key, new', 'data/audit/keys/.*/signing-key\\.pub\\.pem\\.new'),
  plain('audit heads', 'data/audit/logs/\\.state/data\\.mdb'),
  plain('audit heads, readers', 'data/audit/logs/\\.state/lock\\.mdb'),
  plain('audit checkpoint', `${LOG}/checkpoint`),
  plain('audit checkpoint, new', `${LOG}/checkpoint\\.tmp`),
  plain('audit lock', `${LOG}/lock`),
  plain('audit segment', `${LOG}/segments/[0-9]+\\.log`),
  plain('audit manifest', `${LOG}/segments/[0-9]+\\.json`),
  plain('audit manifest, new', `${LOG}/segments/[0-9]+\\.json\\.tmp`),
  plain('audit bundle', `${LOG}/tile/entries/[0-9x/]+(\\.p/[0-9]+)?`),
  plain('audit bundle, new', `${LOG}/tile/entries/[0-9x/]+(\\.p/[0-9]+)?\\.tmp`),
  plain('audit tile', `${LOG}/tile/[0-9]+/[0-9x/]+(\\.p/[0-9]+)?`),
  plain('audit tile, new', `${LOG}/tile/[0-9]+/[0-9x/]+(\\.p/[0-9]+)?\\.tmp`),
  plain('audit personal values', `${LOG}/personal/[^/]+\\.jsonl`),

  vault('vault store', 'data/vault/store/data\\.mdb'),
  vault('vault readers', 'data/vault/store/lock\\.mdb'),
  vault('vault mark', 'data/vault/state/mark'),
  vault('vault probe', 'data/vault/state/probe'),
  { name: 'vault file', path: '^data/vault/store/vault\\.json$', site: 'filed' },
  { name: 'vault file, new', path: '^data/vault/store/vault\\.json\\.new$', site: 'filed' },

  ofOneCaller('copy for a backup', 'data/backup/[a-z-]+/(data\\.mdb|vault\\.json)'),
  ofOneCaller('backup on its way', `backups/incoming/${UUID}`),
  ofOneCaller('backup part', `backups/parts/[0-9a-f]{2}/${SHA}`),
  ofOneCaller('backup set', 'backups/sets/[^/]+\\.json'),
  ofOneCaller('journal copy', 'backups/journal/[0-9]+/[0-9]+-[0-9]+'),
];

const PATTERNS = KINDS.map(({ name, path }) => ({ name, pattern: new RegExp(path) }));

/** The kind of a file, by its path below the node's directories; null where there is none. */
export function kindOf(path: string): string | null {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.name ?? null;
}
