/** The image as an operator has it (docs/operate/container.md): built from nothing, loaded, started with a root that cannot be written, stopped. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildImage, type BuiltImage } from '#runtime/cli/build-image.ts';
import { OUTSIDE } from '#runtime/cli/build-programs.ts';
import { IMAGE } from '#runtime/cli/image-facts.ts';
import { LEFT_OUT } from '#runtime/cli/image-tree.ts';
import { ROOT } from '#runtime/place.ts';
import { commitOf, skepVersion } from '#runtime/version.ts';
import { containersLack, hasContainers, usePodman } from '#test/kit/containers.ts';
import { isLongRun } from '#test/kit/rounds.ts';

const RELEASE = `${ROOT}release.image`;
const BYTES_MAX = 200_000_000;
/** Of an operator who lets it do nothing else. */
const CONFINED =
  '--read-only --read-only-tmpfs=false --tmpfs /tmp --network none --cap-drop ALL --security-opt no-new-privileges'.split(
    ' ',
  );

interface Inspected {
  readonly Size: number;
  readonly Architecture: string;
  readonly Created: string;
  readonly Config: Readonly<Record<string, never>>;
}

/** `npm test` leaves this out: it takes Debian's archive, and a minute of processor. */
describe.skipIf(!isLongRun || !hasContainers)(`the image${containersLack}`, { timeout: 240_000 }, () => {
  const { podman, end } = usePodman();
  let built: BuiltImage;
  let image: Inspected;
  beforeAll(async () => {
    built = await buildImage(RELEASE);
    await podman('load', '--quiet', '--input', built.archive);
    [image] = JSON.parse(await podman('image', 'inspect', built.name)) as [Inspected];
  }, 400_000);
  afterAll(async () => {
    await end();
    rmSync(RELEASE, { recursive: true, force: true });
  });

  /** Runs the program of the image once, with these arguments. */
  const once = (...args: readonly string[]): Promise<string> =>
    podman('run', '--rm', ...CONFINED, '--volume', 'data:/var/lib/skep', built.name, ...args);

  test('says who runs it, what it listens on, what it keeps, how it stops, and which commit it is of', () => {
    expect(image.Config).toMatchObject({
      User: `${IMAGE.uid}:${IMAGE.uid}`,
      Entrypoint: [IMAGE.command],
      Cmd: ['-f', IMAGE.platformFile],
      ExposedPorts: { [`${IMAGE.ports.gateway}/tcp`]: {}, [`${IMAGE.ports.operations}/tcp`]: {} },
      Volumes: { [IMAGE.volume]: {} },
      StopSignal: 'SIGTERM',
    });
    const { commit, date } = commitOf(`${RELEASE}/package`);
    expect(image.Config['Labels']).toMatchObject({
      'org.opencontainers.image.version': skepVersion(),
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
    expect(Date.parse(image.Created)).toBe(Date.parse(date));
  });

  test('is at most 200 MB, and has no shell', async () => {
    expect(image.Size).toBeLessThanOrEqual(BYTES_MAX);
    await expect(podman('run', '--rm', ...CONFINED, '--entrypoint', '/bin/sh', built.name)).rejects.toMatchObject({
      code: 127,
    });
  });

  test('serves as its user on a root that it cannot write, ends at SIGTERM with 0, and finds its data again', async () => {
    await podman('run', '--detach', '--name', 'node', ...CONFINED, '--volume', `data:${IMAGE.volume}`, built.name);
    onTestFinished(async () => void (await podman('rm', '--force', '--time', '0', 'node')));
    const inside = (program: string): Promise<string> => podman('exec', 'node', 'node', '-e', program);
    const isReady = (): Promise<string> => podman('exec', 'node', 'skep', 'health').catch(String);

    await expect.poll(isReady, { timeout: 120_000, interval: 200 }).toBe('ready:true\n');
    expect(await inside('console.log(process.getuid(), process.getgid())')).toBe(`${IMAGE.uid} ${IMAGE.uid}\n`);
    expect(await inside('try { fs.writeFileSync("/opt/x", "") } catch ({ code }) { console.log(code) }')).toBe(
      'EROFS\n',
    );
    const ask = (port: number, path: string): Promise<string> =>
      inside(`fetch("http://127.0.0.1:${port}${path}").then(async (a) => console.log(a.status, await a.text()))`);
    expect(await ask(IMAGE.ports.operations, '/readyz')).toBe('200 ready:true\n');
    expect(await ask(IMAGE.ports.gateway, '/ready')).toBe('200 ready:true\n');
    const log = await podman('logs', 'node');
    expect(log).toContain('"msg":"serving"');
    expect(log).not.toContain('node:http serves'); // the addon is there

    const ended = async (): Promise<string> => {
      await podman('stop', '--time', '60', 'node');
      return podman('inspect', '--format', '{{.State.ExitCode}}', 'node');
    };
    expect(await ended()).toBe('0\n');
    expect(await once('storage', 'check', IMAGE.dataDir)).toMatch(/./); // rejects where anything is damaged or missing
    await podman('start', 'node');
    await expect.poll(isReady, { timeout: 120_000, interval: 200 }).toBe('ready:true\n');
    expect(await ended()).toBe('0\n');
  });

  test('loads every native part and every WebAssembly module', async () => {
    const version = await once('version', '-o', 'json');
    expect(JSON.parse(version)).toMatchObject({ skep: skepVersion(), node: process.versions.node });
    const program = `Promise.all(${JSON.stringify(OUTSIDE.filter((name) => name !== LEFT_OUT))}.map((name) => import(name))).then(() => console.log('loaded'))`;
    const node = ['--workdir', IMAGE.program, '--entrypoint', IMAGE.node, built.name, '-e', program];
    expect(await podman('run', '--rm', ...CONFINED, ...node)).toBe('loaded\n');
  });
});
