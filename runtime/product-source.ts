/** Which checkout a tenant's definitions come from. A request cannot make the node read a directory that its platform file does not name. */
import type { Platform } from '#config/platform.ts';
import { CONTROL_PLANE, isPlane, parsePosition, type Position } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { productDirectory } from './fetch-product.ts';

/** A checkout that an operator names: by its directory, its URL or a tenant key of the platform file. */
export interface SourceWish {
  readonly source: string;
  /** The key of that operator's plane. */
  readonly by: string;
}

type TenantNode = Platform['hives']['tenant'][number];

/** The parts of a platform file that name checkouts. */
export interface SourcePlatform {
  readonly storage: Pick<Platform['storage'], 'dir'>;
  readonly hives: { readonly tenant: readonly Pick<TenantNode, 'key' | 'meta'>[] };
}

/** `url`: fetched into `localdir` when the tenant is provisioned. */
export type ProductSource = { readonly localdir: string | null; readonly url?: string } | { readonly problem: string };

/**
 * The checkout of a tenant. A plane has none. A tenant node of the platform file has the one declared there, and no other. Any other
 * tenant has the wished one, else the one that it is registered with, else that of a tenant node of the same product.
 */
export function productSource(
  platform: SourcePlatform,
  position: Position,
  registered: TenantEntry | undefined,
  wish: SourceWish | null,
): ProductSource {
  if (isPlane(position)) return wish === null ? { localdir: null } : { problem: 'a plane has no product' };
  const nodes = platform.hives.tenant;
  const own = nodes.find(({ key }) => key === position.key);
  if (own !== undefined) return ofNode(platform, own, wish?.source ?? null);
  if (wish !== null) return named(platform, position, wish);
  if (registered !== undefined) return { localdir: registered.localdir };
  const sibling =
    nodes.find(({ key }) => isOf(key, position, true)) ?? nodes.find(({ key }) => isOf(key, position, false));
  if (sibling === undefined)
    return { problem: `no tenant node of the platform file has the product ${position.customer}:${position.product}` };
  return ofNode(platform, sibling, null);
}

function ofNode(
  { storage }: SourcePlatform,
  { key, meta }: Pick<TenantNode, 'key' | 'meta'>,
  wish: string | null,
): ProductSource {
  const { localdir, url } = meta;
  if (wish === null || wish === localdir || wish === url || wish === key)
    return url === undefined ? { localdir: localdir! } : { localdir: productDirectory(storage.dir, url), url };
  return { problem: `${key} has its product source in the platform file: change it there` };
}

/** The control plane may name any checkout of the file; a customer's operator only those of the tenant's own product, since definitions contain secrets. */
function named(platform: SourcePlatform, position: Position, { source, by }: SourceWish): ProductSource {
  const inReach = platform.hives.tenant.filter(({ key }) => by === CONTROL_PLANE || isOf(key, position, false));
  const node = inReach.find(({ key, meta }) => key === source || [meta.localdir, meta.url].includes(source));
  if (node !== undefined) return ofNode(platform, node, null);
  return { problem: 'no tenant node of the platform file has this product source' };
}

function isOf(key: string, { customer, product, env }: Position, sameEnv: boolean): boolean {
  const node = parsePosition(key)!;
  return node.customer === customer && node.product === product && (!sameEnv || node.env === env);
}
