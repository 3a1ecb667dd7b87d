/** Rules of `gateway.cors` that involve other keys: products without a tenant, origins that are listed twice, pages over plain HTTP. */
import { isLoopback } from './bind.ts';
import type { Platform } from './platform.ts';
import { problemAt, type Problem } from './problem.ts';
import type { Surroundings } from './surroundings.ts';
import { suggestion } from './values/suggest.ts';

export function corsProblems(platform: Platform, around: Surroundings): Problem[] {
  const products = [...new Set(platform.hives.tenant.map(({ key }) => key.split(':')[1]!))];
  const clear = platform.vault.profile === 'development';
  return Object.entries(platform.gateway.cors).flatMap(([product, { origins }]) => {
    const unknown = products.includes(product) ? [] : [unknownProduct(product, products, around)];
    return [...unknown, ...twiceProblems(product, origins, around), ...(clear ? [] : plain(product, origins, around))];
  });
}

function unknownProduct(product: string, products: readonly string[], around: Surroundings): Problem {
  const path = ['gateway', 'cors', product];
  const mend = products.length === 0 ? 'list a tenant of it under hives.tenant' : suggestion(product, products);
  return problemAt(around.tree.placeOf(path, 'key'), path, `no tenant of this file has the product ${product}`, mend);
}

function twiceProblems(product: string, origins: readonly string[], around: Surroundings): Problem[] {
  return origins.flatMap((origin, at) =>
    origins.indexOf(origin) === at
      ? []
      : [originProblem(product, at, around, `${origin} is listed twice`, 'remove one')],
  );
}

/** A page that came over plain HTTP may have been changed on its way. */
function plain(product: string, origins: readonly string[], around: Surroundings): Problem[] {
  return origins.flatMap((origin, at) => {
    if (!isPlainRemote(origin)) return [];
    const message = `${origin} is plain HTTP: its pages can be changed on their way, and then read answers`;
    const mend = 'write https; plain HTTP is for loopback, and under vault.profile: development for any host';
    return [originProblem(product, at, around, message, mend)];
  });
}

function originProblem(product: string, at: number, around: Surroundings, message: string, mend: string): Problem {
  const path = ['gateway', 'cors', product, 'origins', at];
  return problemAt(around.tree.placeOf(path, 'value'), path, message, mend);
}

function isPlainRemote(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
