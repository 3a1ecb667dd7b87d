/** The nodes that the matrix is tried on: together they have every kind of file. Each is made once, and copied for each cell. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { makeSite, type Site } from '#test/crash/images/site.ts';

export const SITE_NAMES = ['plain', 'vault', 'filed'] as const;
/** `plain`: audit logs whose keys are files, without a vault. `vault`: a vault in LMDB. `filed`: one in a file, as in development. */
export type SiteName = (typeof SITE_NAMES)[number];

export interface MatrixSite extends Site {
  readonly name: SiteName;
}

/** Rows with a file, which lies beside the database. */
const ENTITIES = `entities:
  document:
    fields:
      id: { type: string, max_length: 40 }
      title: { type: string, required: true, max_length: 100 }
      scan: { type: file }
    access:
      create: &member { language: cel, rule: "principal.type == 'service'" }
      read: *member
`;

/** Files that are made of files. */
const STORE = '    images: { thumb: { width: 40, height: 30 } }\n';
/** A store whose notes of assets are files. */
const STORES = `  - name: noted
    type: native
    index: fs
    access:
      createasset: &all { language: cel, rule: 'principal.type == "service"' }
      readasset: *all
      downloadasset: *all
`;

/** Where a node's files lie, and no other's. */
export const FILES = 'files';
const BALLAST_BYTES = 65_536;
const rootKey = randomBytes(32).toString('base64');

function extraOf(name: SiteName, place: string): string {
  const backups = `backups: { to: ${join(place, 'backups')}, journal: { every: 1s } }\n`;
  if (name === 'plain') return backups;
  writeFileSync(join(dirname(place), `${name}.key`), rootKey, { mode: 0o600 });
  const seal = `seal: { current: { file: ${join(dirname(place), `${name}.key`)} } }`;
  const backend = `backend: { kind: ${name === 'vault' ? 'lmdb' : 'file'} }`;
  return `${backups}vault: { enabled: true, profile: development, ${backend}, ${seal} }\n`;
}

/** Makes the directory `files` in `dir`: what lies in it is the node's. */
export async function makeMatrixSite(dir: string, name: SiteName): Promise<MatrixSite> {
  const at = join(mkdtempSync(join(dir, `${name}-`)), FILES);
  mkdirSync(join(at, 'backups'), { recursive: true });
  const site = await makeSite(at, {
    hasAudit: name === 'plain',
    extra: (place) => extraOf(name, place),
    entities: ENTITIES,
    store: STORE,
    stores: STORES,
  });
  // Of more than one digit, so that a part of it is another number.
  writeFileSync(join(site.dataDir, 'epoch'), '41');
  return { ...site, name, platformAt: (place) => withStorage(site.platformAt(place), place) };
}

/** Room that is kept back, and a mark outside of the data directory. */
function withStorage(file: string, place: string): string {
  const storage = `ballast_bytes: ${BALLAST_BYTES}, mark: ${join(place, 'mark')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace('ballast_bytes: 0', storage));
  return file;
}

/** A copy of what the node has; gives its platform file. */
export function copyOf(site: MatrixSite, place: string): string {
  for (const part of ['data', 'backups']) cpSync(join(site.dir, part), join(place, part), { recursive: true });
  return site.platformAt(place);
}
