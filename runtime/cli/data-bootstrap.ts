/** `skep data bootstrap`: tenants, the control plane, operator planes, shared planes. */
import type { Platform } from '#config/platform.ts';
import { CONTROL_PLANE, isPlane, parsePosition } from '#actors/protocol/position.ts';
import type { BootstrapRow, BootstrapWish } from '#runtime/data-bootstrap.ts';
import { askNode, type OperatorOptions } from './operator-verb.ts';
import type { Row } from './output.ts';
import { seedOf, type PersonOptions, type Seed } from './person-options.ts';
import { Progress } from './progress.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

export interface BootstrapOptions extends OperatorOptions, PersonOptions {
  readonly tenant?: string;
  readonly scope?: 'shared';
  readonly datastore: string;
  readonly adminOf?: string;
}

/** The login of a superadmin whose name but no address is given, in a domain that never exists (RFC 2606 §2), so that no mail goes astray. */
const NAMELESS = 'superadmin@node.invalid';

/** One row for each tenant or plane. A generated password is in the rows of the planes that it opens, and is shown only here. */
export async function dataBootstrap(
  platform: Platform,
  options: BootstrapOptions,
  terminal: Terminal,
): Promise<readonly Row[]> {
  checkOptions(platform, options);
  const seed = await seedOf(withLogin(options), terminal);
  const { tenant = null, scope = null, adminOf = null } = options;
  const wish: BootstrapWish = { tenant, scope, person: seed?.person ?? null, adminOf };
  const progress = new Progress(terminal, { label: 'bootstrap', total: null, unit: 'tenants' });
  let begun = 0;
  const onStep = (): void => progress.update(begun++);
  const rows = (await askNode(platform, 'data.bootstrap', wish, onStep)) as BootstrapRow[];
  progress.update(rows.length);
  progress.finish();
  return rows.map((row) => (seed === null ? { ...row } : withPassword(row, seed)));
}

/** In the contract's form a person has a name and no address. */
function withLogin(options: BootstrapOptions): PersonOptions {
  const { email, firstname, lastname } = options;
  return email === undefined && (firstname ?? lastname) !== undefined ? { ...options, email: NAMELESS } : options;
}

function withPassword(row: BootstrapRow, { person, generated }: Seed): Row {
  return { ...row, login: person.email, password: generated && row.person === 'created' ? person.password : null };
}

function checkOptions(
  platform: Platform,
  { tenant, scope, datastore, email, firstname, lastname, adminOf }: BootstrapOptions,
): void {
  const refuse = (what: string, mend: string): never => {
    throw new CliError(`skep: ${what}\n    ${mend}\n`, EXIT.usage);
  };
  if (datastore !== 'default')
    refuse(`no datastore ${datastore} is served`, 'this version has one datastore for each tenant, "default"');
  const isTenant = (key: string): boolean => platform.hives.tenant.some((node) => node.key === key);
  const person = email ?? firstname ?? lastname;
  if (person !== undefined && tenant !== CONTROL_PLANE)
    refuse(
      'people are seeded with the control plane',
      'give --tenant superadmin, or use skep tenant provision --email',
    );
  if (adminOf !== undefined && person === undefined)
    refuse('--admin-of is given without a superadmin', 'name the superadmin: --email, or --firstname and --lastname');
  if (adminOf !== undefined && !isTenant(adminOf))
    refuse(`the platform file has no tenant ${adminOf}`, 'give a key of hives.tenant with --admin-of');
  if (tenant === undefined || tenant === CONTROL_PLANE) {
    if (tenant === CONTROL_PLANE && scope !== undefined)
      refuse('the control plane has no shared plane', 'leave --scope out');
    return;
  }
  if (!isTenant(tenant) && !isPlane(parsePosition(tenant)!))
    refuse(`the platform file has no tenant ${tenant}`, 'add it under hives.tenant');
}
