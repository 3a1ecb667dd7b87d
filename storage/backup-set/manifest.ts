/**
 * What a set is made of. Parts are found by the SHA-256 of what they hold, so that sets share them; lists name the parts of many files.
 * The text of a manifest ends with a line that has the digest of the lines before it.
 */
import { hash } from 'node:crypto';
import { isAbsolute, normalize } from 'node:path';
import { BackupFault } from '#storage/backup/format.ts';
import { SET_ID } from './place.ts';

/** Raised when an older reader would misread what is written now. */
export const SET_FORMAT = 1;

/** The name of the store that holds the revision of the product that a tenant serves: no content store can have it. */
export const REVISION = '_product';

export interface PartRef {
  /** Of what it holds, before any encryption; lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** A file in a list: of a tenant (`store`: the content store that it is of), or of a tree (`path`). */
export interface ListedFile extends PartRef {
  readonly store?: string;
  readonly path?: string;
}

export interface SetTenant {
  readonly key: string;
  readonly no: number;
  readonly shard: number;
  readonly state: string;
  /** Its store, in the format of `skep tenant backup` without files. */
  readonly rows: PartRef;
  /** Its files. */
  readonly list: PartRef;
  readonly entries: number;
  readonly files: number;
  readonly file_bytes: number;
  /** Files that rows name and that the disk did not have. */
  readonly missing_files?: number;
  /** Content stores whose files do not lie in the data directory. */
  readonly elsewhere?: readonly string[];
  readonly made_at: string;
  /** What it serves. Absent in sets of before. */
  readonly product?: { readonly name: string; readonly checksum: string };
  /** The newest record of its shard that the rows show, for the journal's copy. Absent in sets of before. */
  readonly journal?: { readonly epoch: number; readonly number: number };
}

/** Files of the node under one directory. */
export interface SetTree {
  /** Where a restored data directory has it. */
  readonly as: string;
  /** Where it lay. */
  readonly from: string;
  readonly list: PartRef;
  readonly files: number;
  readonly bytes: number;
}

export interface SetManifest {
  readonly format: number;
  readonly id: string;
  readonly skep: string;
  /** `audit.name` of the node. */
  readonly node: string;
  /** What was acknowledged before this instant is in the set; RFC 3339. */
  readonly moment: string;
  readonly ended_at: string;
  readonly shards: number;
  /** Null where parts lie there as they are; lists and manifests always do. */
  readonly encryption: { readonly recipients: readonly string[]; readonly suffix: string } | null;
  readonly tenants: readonly SetTenant[];
  readonly trees: readonly SetTree[];
  /** What a node has and the set has not, and why. */
  readonly left_out: readonly string[];
  /** Of all parts; of those that no earlier set had. */
  readonly bytes: number;
  readonly new_bytes: number;
}

const sumOf = (text: string): string => `sha256:${hash('sha256', text)}\n`;

export function writeManifest(manifest: SetManifest): string {
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  return text + sumOf(text);
}

/** Throws BackupFault where the text is not as it was written, or of a later format. */
export function readManifest(text: string, id: string, where: string): SetManifest {
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, end);
  const name = `${where}: the manifest of set ${id}`;
  if (!SET_ID.test(id) || text.slice(end) !== sumOf(body))
    throw new BackupFault(name, 'was altered: use another set (skep backup list)');
  const manifest = JSON.parse(body) as SetManifest;
  if (manifest.format !== SET_FORMAT) {
    const mend = `use the release of Skep that made it (${manifest.skep})`;
    throw new BackupFault(name, `has format ${manifest.format}; this program reads format ${SET_FORMAT}: ${mend}`);
  }
  if (manifest.id !== id) throw new BackupFault(name, `is that of set ${manifest.id}: use another set`);
  return manifest;
}

/** So many files make a piece of a list: writing and reading one takes less than a slice. */
const PIECE_FILES = 500;

/** A list as text, in pieces: a line for each file. */
export function* writeList(files: readonly ListedFile[]): Generator<Buffer> {
  for (let at = 0; at < files.length; at += PIECE_FILES) {
    const lines = files.slice(at, at + PIECE_FILES).map((file) => `${JSON.stringify(file)}\n`);
    yield Buffer.from(lines.join(''));
  }
}

/** The file of a line; null where it names none, or a path that would lead out of its directory. */
export function readLine(line: string): ListedFile | null {
  try {
    const file = JSON.parse(line) as ListedFile;
    const isFile = /^[0-9a-f]{64}$/.test(file.sha256) && Number.isSafeInteger(file.bytes) && isInside(file.path);
    return isFile ? file : null;
  } catch {
    return null;
  }
}

function isInside(path: string | undefined): boolean {
  return path === undefined || (!isAbsolute(path) && normalize(path) === path && !path.startsWith('..'));
}
