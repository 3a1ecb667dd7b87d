/**
 * What a release holds and brings along, as CycloneDX 1.6: packages whose code is in the bundles, the console or the documentation, and packages that npm installs beside
 * them. It is the same text for the same commit: it has no time and no serial number.
 */
import { readFileSync } from 'node:fs';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { ROOT } from '../place.ts';
import { closureOf } from './exact-versions.ts';
import { assertLicence } from './licences.ts';

/** What is read of the package that was made. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export interface Contents {
  /** Folders of packages, from the root, whose code is in the bundles. */
  readonly bundled: readonly string[];
  /** In the console: below `console/`, which has packages of its own. */
  readonly console: readonly string[];
  /** And in the documentation. */
  readonly site: readonly string[];
  readonly packed: PackedPackage;
}

interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
}

/** How a package comes to who installs the release: the property `skep:part` of a component. */
type Part = 'bundle' | 'console' | 'documentation' | 'dependency' | 'platform' | 'optional';

const FOLDER = 'node_modules/';
const OF_CONSOLE = 'console/';
const PART = 'skep:part';

/** Throws where a package has a licence that was not reviewed (`licences.ts`), or is not in the lock file of its project. */
export function billOfMaterials({ bundled, console, site, packed }: Contents): string {
  const packages = lockedIn('');
  const inConsole = Object.entries(lockedIn(OF_CONSOLE)).map(([path, one]) => [OF_CONSOLE + path, one] as const);
  const locks = new Map([...Object.entries(packages), ...inConsole]);

  function component(path: string, part: Part): Models.Component {
    const locked = locks.get(path);
    if (locked?.version === undefined) throw new Error(`the lock file lacks ${path}, which the release holds`);
    const name = locked.name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${locked.version}`;
    return new Models.Component(Enums.ComponentType.Library, name, {
      bomRef: `${purl}#${part}`,
      purl,
      version: locked.version,
      scope: part === 'optional' || part === 'platform' ? Enums.ComponentScope.Optional : Enums.ComponentScope.Required,
      hashes: new Models.HashDictionary(hashOf(locked).map((hex) => [Enums.HashAlgorithm['SHA-512'], hex])),
      licenses: new Models.LicenseRepository([new Models.LicenseExpression(assertLicence(name, locked.license))]),
      properties: new Models.PropertyRepository([new Models.Property(PART, part)]),
    });
  }

  const { name, version, description, license, dependencies, peerDependencies } = packed;
  const root = new Models.Component(Enums.ComponentType.Application, name, {
    bomRef: `pkg:npm/${name}@${version}`,
    purl: `pkg:npm/${name}@${version}`,
    version,
    description,
    licenses: new Models.LicenseRepository([new Models.LicenseExpression(license)]),
  });
  const installed = Object.keys(dependencies).map((one) => FOLDER + one);
  const parts: readonly (readonly [Part, readonly string[]])[] = [
    ['bundle', bundled],
    ['console', console],
    ['documentation', site],
    ['dependency', installed],
    // Parts for one system each, of which npm installs those that fit, hold the native code.
    ['platform', closureOf({ packages }, installed).filter((path) => !installed.includes(path))],
    ['optional', Object.keys(peerDependencies).map((one) => FOLDER + one)],
  ];
  const components = parts.flatMap(([part, paths]) =>
    [...new Set(paths)].filter((path) => path !== '').map((path) => component(path, part)),
  );
  for (const one of components) root.dependencies.add(one.bomRef);
  const bom = new Models.Bom({
    components: new Models.ComponentRepository(components),
    metadata: new Models.Metadata({ component: root }),
  });
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** `folder`: of the project, with a slash at its end. */
function lockedIn(folder: string): Readonly<Record<string, Locked>> {
  const text = readFileSync(`${ROOT}${folder}package-lock.json`, 'utf8');
  return (JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> }).packages;
}

/** Of what the registry gave, in hexadecimal; none for a workspace. */
function hashOf({ integrity }: Locked): string[] {
  if (integrity === undefined) return [];
  const [algorithm, base64] = integrity.split('-', 2);
  if (algorithm !== 'sha512' || base64 === undefined) throw new Error(`not a SHA-512: ${integrity}`);
  return [Buffer.from(base64, 'base64').toString('hex')];
}
