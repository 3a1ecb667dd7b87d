/** Which checkout a tenant's definitions come from. A request cannot make the node read a directory that its platform file does not name. */
import type { Platform } from '#config/platform.ts';
import { CONTROL_PLANE, isPlane, parsePosition } from '#actors/protocol/position.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { productDirectory } from './fetch-product.ts';

/** A checkout that somebody names: by its directory, its URL or a tenant key of the platform file. */
export interface SourceWish {
  readonly source: string;
  /** The plane of the operator who names it. */
  readonly by: string;
}

type TenantNode = Platform['hives']['tenant'][number];

/** What a platform file says of checkouts. */
export interface SourcePlatform {
  readonly storage: Pick<Platform['storage'], 'dir'>;
  readonly hives: { readonly tenant: readonly Pick<TenantNode, 'key' | 'meta'>[] };
}

/** `url`: what is to be fetched into `localdir` when the tenant is provisioned. */
export type ProductSource = { readonly localdir: string | null; readonly url?: string } | { readonly problem: string };

/**
 * The checkout of a tenant: a plane has none; a tenant node of the file has its own, whatever is wished; any other tenant the
 * one that is wished for (a directory or a tenant key of the file), that it is registered with, or of its own product's nodes.
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

/** The control plane names any checkout of the file; an operator of a customer only those of the tenant's own product: definitions hold secrets. */
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
