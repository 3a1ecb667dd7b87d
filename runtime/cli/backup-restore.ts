/** Restores out of sets: a whole data directory without a node, or one tenant through the node that serves. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BackupFault } from '#storage/backup/format.ts';
import { DirectoryPlace } from '#storage/backup-set/directory-place.ts';
import { decryptWith } from '#storage/backup-set/encryption.ts';
import { readManifest, type SetManifest } from '#storage/backup-set/manifest.ts';
import type { BackupPlace } from '#storage/backup-set/place.ts';
import type { Reading } from '#storage/backup-set/read-part.ts';
import { restoreSet, UNHURRIED } from '#storage/backup-set/restore-set.ts';
import { writeTenantFile } from '#storage/backup-set/tenant-file.ts';
import { makeDirectory } from '#storage/directory.ts';
import type { TenantSet } from '#runtime/backups/tenant-at.ts';
import { placeOf } from '#runtime/backups/place-of.ts';
import { giveTo, ownerOf } from './keep-owner.ts';
import { askNode, platformOf } from './operator-verb.ts';
import type { Row } from './output.ts';
import type { Terminal } from './terminal.ts';

export interface RestoreOptions {
  readonly file?: string;
  readonly from?: string;
  readonly set?: string;
  readonly into?: string;
  readonly tenant?: string;
  readonly as?: string;
  /** In milliseconds. */
  readonly at?: number;
  readonly identity?: string;
  readonly otherDefinitions?: boolean;
}

/** Makes a whole data directory. */
export async function restoreNode(options: RestoreOptions, terminal: Terminal): Promise<Row> {
  const place = await openPlace(options, terminal);
  const manifest = await setOf(place, options.set);
  const into = resolve(options.into!);
  const owner = ownerOf(into);
  const told = (step: string): void => terminal.err(`${step}\n`);
  const sum = await restoreSet({ manifest, from: readingOf(place, manifest, options.identity), into, told });
  giveTo(owner, into);
  for (const remark of remarksOf(manifest, into)) terminal.err(`note: ${remark}\n`);
  return { set: manifest.id, directory: into, moment: manifest.moment, ...sum };
}

/** What is not where the node looks for it, and what is not in the set. */
function remarksOf({ left_out, tenants, trees }: SetManifest, into: string): string[] {
  const remarks = left_out.map((what) => `not in the set: ${what}`);
  for (const { key, no, elsewhere = [] } of tenants)
    for (const store of elsewhere)
      remarks.push(
        `the content store ${store} of ${key} lay outside of the data directory: its files are in ${join(into, 'content', String(no), store)}`,
      );
  for (const { as, from } of new Map(trees.map((tree) => [tree.as, tree])).values())
    if (!from.endsWith(`/${as}`))
      remarks.push(`what lay in ${from} is in ${join(into, as)}: move it where the platform file looks for it`);
  return remarks;
}

/** Restores one tenant on the node of the platform file, under its own name or another one. */
export async function restoreOneTenant(options: RestoreOptions, terminal: Terminal): Promise<Row> {
  const platform = await platformOf(options.file!, terminal);
  const place = await openPlace(options, terminal);
  const wish = await chosen(place, options);
  const path = join(makeDirectory(platform.storage.dir), `backup-${randomUUID().slice(0, 8)}.skep`);
  try {
    const made = await wish.write(path);
    giveTo(ownerOf(platform.storage.dir), path); // the node reads it
    const body = {
      from: path,
      otherDefinitions: options.otherDefinitions === true,
      ...(options.as !== undefined && { as: options.as }),
    };
    const report = await askNode(platform, 'tenant.restore', body, (step) => terminal.err(`${step}\n`));
    return { set: wish.manifest.id, ...made, ...(report as Row) };
  } finally {
    await rm(path, { force: true });
  }
}

/** The set, the tenant in it, and what writes its file. */
async function chosen(place: BackupPlace, options: RestoreOptions): Promise<Chosen> {
  const { at, identity, set } = options;
  if (at !== undefined) return atMoment(place, options, at);
  const manifest = await setOf(place, set);
  const tenant = tenantIn(manifest, options.tenant!);
  const from = readingOf(place, manifest, identity);
  return { manifest, write: async (path) => (await writeTenantFile(from, tenant, path, UNHURRIED), {}) };
}

interface Chosen {
  readonly manifest: SetManifest;
  /** Gives what is to be told of it. */
  write(path: string): Promise<Row>;
}

/** The newest set from before the moment that has the tenant, and those after it. */
async function atMoment(place: BackupPlace, { identity, tenant: key }: RestoreOptions, at: number): Promise<Chosen> {
  const sets: TenantSet[] = [];
  for (const id of await place.sets()) {
    const text = await place.readSet(id);
    if (text === null) continue; // retention removed it meanwhile
    const manifest = readManifest(text, id, place.where);
    const tenant = manifest.tenants.find((one) => one.key === key);
    if (tenant === undefined || tenant.no === 1) continue;
    if (Date.parse(manifest.ended_at) <= at) sets.length = 0; // a later base
    sets.push({ manifest, tenant, from: readingOf(place, manifest, identity) });
  }
  const [base, ...later] = sets;
  if (base === undefined || Date.parse(base.manifest.ended_at) > at) {
    const first = base === undefined ? 'no set has it' : `the first set that has it is of ${base.manifest.ended_at}`;
    throw new Error(
      `${key} cannot be brought to ${new Date(at).toISOString()}: ${first}\n    name a later moment, or another place`,
    );
  }
  const { writeTenantAt } = await import('#runtime/backups/tenant-at.ts');
  return {
    manifest: base.manifest,
    write: async (path) => ({ ...(await writeTenantAt({ base, later, untilMs: at, path })) }),
  };
}

function tenantIn(manifest: SetManifest, key: string): SetManifest['tenants'][number] {
  const tenant = manifest.tenants.find((one) => one.key === key);
  if (tenant !== undefined && tenant.no !== 1) return tenant;
  throw new Error(`no tenant ${key} in set ${manifest.id}\n    it has ${keysOf(manifest)}`);
}

function keysOf({ tenants }: SetManifest): string {
  const keys = tenants.filter(({ no }) => no !== 1).map(({ key }) => key);
  return keys.length === 0 ? 'none' : keys.slice(0, 20).join(', ');
}

async function openPlace({ file, from }: RestoreOptions, terminal: Terminal): Promise<BackupPlace> {
  if (from !== undefined) return new DirectoryPlace(resolve(from));
  return placeOf(await platformOf(file!, terminal));
}

async function setOf(place: BackupPlace, wanted = 'latest'): Promise<SetManifest> {
  const ids = await place.sets();
  const id = wanted === 'latest' ? ids.at(-1) : wanted;
  if (id === undefined)
    throw new Error(`${place.where} holds no set\n    name another place, or make one: skep backup now`);
  const text = await place.readSet(id);
  if (text === null)
    throw new BackupFault(`${place.where}: set ${id}`, `is not there; the newest is ${ids.at(-1) ?? 'none'}`);
  return readManifest(text, id, place.where);
}

function readingOf(place: BackupPlace, { encryption }: SetManifest, identity: string | undefined): Reading {
  return { place, encryption, decrypt: identity === undefined ? null : decryptWith(readFileSync(identity, 'utf8')) };
}
