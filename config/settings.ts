/** The effective configuration as a flat list of settings with their sources. It shows no secret, and of the tenants only how many there are. */
import type { Platform } from './platform.ts';
import type { Path } from './problem.ts';
import { isMasked, redacted, secretAt } from './redact.ts';
import { sourceOf, type Source } from './sources.ts';

type SettingValue = string | number | boolean | null | readonly (string | number | boolean | null)[];

export interface Setting {
  /** `log.level`, `sites.0.host`. */
  readonly key: string;
  /** Null for a secret. */
  readonly value: SettingValue;
  readonly secret: boolean;
  /** Whether a secret is there; true for every other setting. */
  readonly set: boolean;
  /** Null where the platform was not made from a file. */
  readonly source: Source['source'] | null;
  readonly from: string | null;
}

/** One entry for each tenant: they are no settings of the node, and may be many. */
const TENANTS = 'hives.tenant';

/** Every setting in the order of the platform; those that are absent and have no default are left out. */
export function settingsOf(platform: Platform): Setting[] {
  const settings: Setting[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (path.join('.') === TENANTS || value === undefined) return;
    if (isSingle(value)) settings.push(settingAt(platform, path, value));
    else if (Array.isArray(value)) value.forEach((item, at) => visit(item, [...path, at]));
    else for (const [key, item] of Object.entries(value)) visit(item, [...path, key]);
  };
  // Masking looks at each value's schema, so the tenants are taken out first: there may be thousands.
  visit(redacted({ ...platform, hives: { ...platform.hives, tenant: [] } }), []);
  return settings;
}

/** A value, or a list of values, which is shown whole. */
function isSingle(value: unknown): value is SettingValue {
  return typeof value !== 'object' || value === null || (Array.isArray(value) && value.every(isScalar));
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

function settingAt(platform: Platform, path: Path, value: SettingValue): Setting {
  const { source, from } = sourceOf(platform, path) ?? { source: null, from: null };
  const masked = Array.isArray(value) ? value.some(isMasked) : isMasked(value);
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  const secret = masked || (isEmpty && secretAt(path));
  return { key: path.join('.'), value: secret ? null : value, secret, set: masked || !secret, source, from };
}
