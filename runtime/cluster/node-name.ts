/** The name of this node among those on its log. */
import { hostname } from 'node:os';
import type { Platform } from '#config/platform.ts';

export function nodeNameOf({ cluster }: Pick<Platform, 'cluster'>): string {
  return cluster.node ?? hostname();
}
