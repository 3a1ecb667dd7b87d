/**
 * The image of a node (OCI), as an archive that `podman load`, `docker load` and `ctr image import` take. Nothing is pulled: it starts from
 * nothing, and holds Debian's C libraries, Node and the package. docs/operate/container.md states what it promises; test/scenario/image.test.ts proves it.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commitOf } from '../version.ts';
import { IMAGE } from './image-facts.ts';
import { layOut } from './image-tree.ts';
import { packRelease } from './pack-release.ts';

const run = promisify(execFile);

/** What OCI calls the architectures of Node. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export interface BuiltImage {
  /** Path of the archive. */
  readonly archive: string;
  /** `skep:<version>`, the name that it has once loaded. */
  readonly name: string;
}

/** Builds the package and its image in `dir`, which must be one folder below the root and is made anew. Rejects with what a tool said. */
export async function buildImage(dir: string): Promise<BuiltImage> {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`there is no image for ${process.arch}`);
  const scratch = mkdtempSync(join(tmpdir(), 'skep-image-'));
  try {
    await packRelease(dir);
    const packed = `${dir}/package`;
    const tree = `${scratch}/tree`;
    mkdirSync(tree);
    await layOut(tree, packed, scratch);
    const name = `skep:${versionOf(packed).version}`;
    const archive = `${dir}/${name.replace(':', '-')}-${architecture}.oci.tar`;
    await commit(tree, `${scratch}/containers`, name, `${archive}.part`, versionOf(packed));
    renameSync(`${archive}.part`, archive);
    return { archive, name };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Packed {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

const versionOf = (packed: string): Packed => JSON.parse(readFileSync(`${packed}/package.json`, 'utf8')) as Packed;

/** One layer of the tree, and the configuration. `store`: a folder for buildah, so that the machine's own images are left alone. */
async function commit(tree: string, store: string, name: string, archive: string, packed: Packed): Promise<void> {
  // vfs needs nothing of the kernel; nothing is run in the container.
  const place = ['--root', `${store}/root`, '--runroot', `${store}/run`, '--storage-driver', 'vfs'];
  const buildah = async (...args: readonly string[]): Promise<string> =>
    (await run('buildah', [...place, ...args])).stdout.trim();
  const container = await buildah('from', 'scratch');
  const owner = `${IMAGE.uid}:${IMAGE.uid}`;
  mkdirSync(`${store}/data`, { mode: 0o700 });
  await buildah('add', '--quiet', '--chown', '0:0', container, tree, '/');
  await buildah('add', '--quiet', '--chown', owner, container, `${store}/data`, IMAGE.volume);
  await buildah('config', ...configuration(packed, owner), container);
  const seconds = String(madeAt());
  await buildah('commit', '--quiet', '--identity-label=false', '--timestamp', seconds, container, name);
  await buildah('push', '--quiet', name, `oci-archive:${archive}:${name}`);
  await buildah('rm', container);
}

function configuration({ version, description, license }: Packed, owner: string): string[] {
  const labels = {
    title: 'Skep',
    description,
    version,
    revision: commitOf().commit,
    licenses: license,
  };
  const flags: readonly (readonly [flag: string, value: string])[] = [
    ['--user', owner],
    ['--workingdir', IMAGE.volume],
    ['--volume', IMAGE.volume],
    ['--stop-signal', IMAGE.stopSignal],
    ['--entrypoint', JSON.stringify([IMAGE.command])],
    ['--cmd', `-f ${IMAGE.platformFile}`],
    ['--created-by', 'npm run image'],
    ...Object.values(IMAGE.ports).map((port) => ['--port', `${port}/tcp`] as const),
    ...Object.entries(IMAGE.env).map(([key, value]) => ['--env', `${key}=${value}`] as const),
    ...Object.entries(labels).map(([key, value]) => ['--label', `org.opencontainers.image.${key}=${value}`] as const),
  ];
  return flags.flat();
}

/** Seconds since 1970: the moment of the commit, so that one commit gives one image; or what SOURCE_DATE_EPOCH says (reproducible-builds.org). */
function madeAt(): number {
  const wish = process.env['SOURCE_DATE_EPOCH'];
  if (wish !== undefined && /^\d+$/.test(wish)) return Number(wish);
  const ms = Date.parse(commitOf().date);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}
