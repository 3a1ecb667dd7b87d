/** Debian's podman with a store of its own, in which containers have no network but their own loopback. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const TOOLS = ['buildah', 'mmdebstrap', 'podman', 'runc'];
const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version']).status !== 0);

/** Whether an image can be built and run here. */
export const hasContainers = missing.length === 0;

if (!hasContainers && process.env['CI'] === 'true') throw new Error(`CI has no ${missing.join(', ')}: see .ci/run`);

/** For a test's title. */
export const containersLack = hasContainers ? '' : ` (skipped: no ${missing.join(', ')})`;

const run = promisify(execFile);

/** Limits below those of this process, which a sandbox may not let it raise; runc, since crun refuses machines with both kinds of cgroups. */
const SETTINGS = `[containers]
cgroups = "no-conmon"
default_ulimits = ["nofile=16384:16384", "nproc=4096:4096"]
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
`;

export interface Podman {
  /** Runs podman with these arguments and gives what it wrote to both streams. Rejects with `code` where it fails. */
  (...args: readonly string[]): Promise<string>;
}

/** `end` removes containers, volumes and images. */
export function usePodman(): { readonly podman: Podman; readonly end: () => Promise<void> } {
  const dir = mkdtempSync(join(tmpdir(), 'skep-podman-'));
  const settings = join(dir, 'containers.conf');
  writeFileSync(settings, SETTINGS);
  // vfs works on every file system.
  const store = ['--root', `${dir}/root`, '--runroot', `${dir}/run`, '--storage-driver', 'vfs'];
  const env = { ...process.env, CONTAINERS_CONF: settings };
  const podman: Podman = async (...args) => {
    const { stdout, stderr } = await run('podman', [...store, ...args], { env });
    return stdout + stderr;
  };
  const end = async (): Promise<void> => {
    await podman('rm', '--all', '--force', '--time', '0');
    rmSync(dir, { recursive: true, force: true });
  };
  return { podman, end };
}
