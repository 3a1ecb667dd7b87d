/** What a product's definitions give to each role: what people are shown of its catalogue. Source: docs/contract/data-definitions.md §2, §3. */
import { grantedTo } from './grants.ts';
import { OPERATIONS } from './operations.ts';
import type { AccessOperation, EntityDefinition, ProductDefinition } from './product.ts';
import { TENANT_ROLES } from './roles-section.ts';

export interface RoleUse {
  readonly role: string;
  /** `platform`: every tenant has it; `catalogue`: the product declares it; `named`: it stands in a product that declares none. */
  readonly origin: (typeof ROLE_ORIGINS)[number];
  /** What the product says it is for; null where it says nothing. */
  readonly about: string | null;
  readonly entities: readonly RoleOnEntity[];
  /** Fields and links that the product keeps for some roles, this one among them. */
  readonly fields: readonly { readonly entity: string; readonly field: string; readonly may: 'read' | 'write' }[];
  /** What runs with the rights of the role. */
  readonly runs: readonly { readonly kind: 'endpoint' | 'stateflow'; readonly name: string }[];
}

export const ROLE_ORIGINS = ['platform', 'catalogue', 'named'] as const;

interface RoleOnEntity {
  readonly entity: string;
  /** What `grants` let the role do, whatever else is so. */
  readonly granted: readonly AccessOperation[];
  /** What is decided by a rule that names the role, and may ask for more. */
  readonly ruled: readonly AccessOperation[];
}

/** Of every role: those of every tenant first, then by name. */
export function roleUses(product: ProductDefinition): RoleUse[] {
  const { roles: catalogue, grants } = product.settings;
  const entities = Object.values(product.entities);
  const named = catalogue === undefined ? namedRoles(product) : Object.keys(catalogue);
  const others = [...new Set(named)].filter((role) => !(TENANT_ROLES as readonly string[]).includes(role)).toSorted();
  return [...TENANT_ROLES, ...others].map((role) => ({
    role,
    origin: (TENANT_ROLES as readonly string[]).includes(role) ? 'platform' : catalogue ? 'catalogue' : 'named',
    about: catalogue?.[role] ?? null,
    entities: entities.flatMap((entity): RoleOnEntity[] => {
      const granted = grantedTo(role, entity, grants);
      const ruled = OPERATIONS.filter((one) => !granted.includes(one) && isNamed(role, entity.access[one]?.rule));
      return granted.length + ruled.length === 0 ? [] : [{ entity: entity.name, granted, ruled }];
    }),
    fields: entities.flatMap((entity) => fieldsOf(role, entity)),
    runs: [
      ...(product.endpoints ?? [])
        .filter(({ runAs }) => runAs === role)
        .map(({ verb, path }) => ({ kind: 'endpoint' as const, name: `${verb} ${path}` })),
      ...(product.stateflows ?? [])
        .filter(({ run_as: runAs }) => runAs === role)
        .map(({ name }) => ({ kind: 'stateflow' as const, name })),
    ],
  }));
}

/** Names of roles hold no quotes. */
const isNamed = (role: string, rule: string | undefined): boolean =>
  rule !== undefined && (rule.includes(`'${role}'`) || rule.includes(`"${role}"`));

function fieldsOf(role: string, { name: entity, fields, links = {} }: EntityDefinition): RoleUse['fields'] {
  return [...Object.entries(fields), ...Object.entries(links)].flatMap(([field, { roles = {} }]) =>
    (['read', 'write'] as const).filter((may) => roles[may]?.includes(role)).map((may) => ({ entity, field, may })),
  );
}

/** Where a product declares no roles, any may be given: those that its grants and fields name are shown. */
function namedRoles({ entities, settings }: ProductDefinition): string[] {
  const all = Object.values(entities);
  const ofFields = all.flatMap(({ fields, links = {} }) =>
    [...Object.values(fields), ...Object.values(links)].flatMap(({ roles = {} }) => [
      ...(roles.read ?? []),
      ...(roles.write ?? []),
    ]),
  );
  return [settings.grants, ...all.map(({ grants }) => grants)]
    .flatMap((one) => Object.keys(one ?? {}))
    .concat(ofFields);
}
