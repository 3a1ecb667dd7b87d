/** Places as the address names them: `/at/<customer>/<product>/<env>/<tenant>` is a tenant, anything else the control plane. Pure. */
export const CONTROL_PLANE = 'superadmin:superadmin:superadmin:superadmin';

/** As docs/contract/common.md §1.2 has it. */
const SEGMENT = '[a-z0-9][a-z0-9_-]{0,62}';
const PATH = new RegExp(`^/at/(${SEGMENT})/(${SEGMENT})/(${SEGMENT})/(${SEGMENT})(?:/|$)`);
const TYPED = new RegExp(`^(${SEGMENT})[/:](${SEGMENT})[/:](${SEGMENT})[/:](${SEGMENT})$`);

const keyOf = (found: RegExpExecArray | null): string | null => found?.slice(1, 5).join(':') ?? null;

/** The key of the tenant in an address within the console; null at the control plane. */
export const keyOfPath = (pathname: string): string | null => keyOf(PATH.exec(pathname));

/** The key of a tenant as a person types it: four names with `/` or `:` between them; null for any other text. */
export const keyOfText = (text: string): string | null => keyOf(TYPED.exec(text.toLowerCase().replaceAll(/\s/g, '')));

/** Where a place begins in the console. */
export const homeOf = (key: string): string => {
  if (key === CONTROL_PLANE) return '/operations';
  return isOperatorPlane(key) ? `${baseOf(key)}/act-as` : `${baseOf(key)}/data`;
};

/** Whether a place is that of a product's operators, which has no rows. */
export const isOperatorPlane = (key: string): boolean => key !== CONTROL_PLANE && key.endsWith(':superadmin');

/** The operators' place of a tenant's product. */
export const operatorPlaneOf = (key: string): string => [...key.split(':').slice(0, 3), 'superadmin'].join(':');

/** What the addresses of a tenant begin with. */
export const baseOf = (key: string): string => `/at/${key.replaceAll(':', '/')}`;

/** As people read it. */
export const nameOf = (key: string): string => key.replaceAll(':', ' / ');

/** Whether what is done there is done to something real, as far as the name of its environment says. */
export const isProduction = (key: string): boolean =>
  /^(?:prod|production|live)(?:$|[-_])/.test(key.split(':')[2] ?? '');
