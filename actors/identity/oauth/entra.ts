/** Microsoft's directories: each has an issuer of its own, and `common` stands for all of them. Pure. */
import type { OAuthProvider } from '#config/definitions/product.ts';
import type { Claims } from './person.ts';

/** The library takes the issuer of an ID token from its `tid` for this origin alone, so its metadata are asked for under this name. */
export const ENTRA = 'https://login.microsoftonline.com';
/** The directory of personal accounts. */
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad';
const DIRECTORY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the product admits the directory that has issued the token, whose issuer was held against `tid` before. */
export function admitsDirectory({ tenant }: Pick<OAuthProvider, 'tenant'>, { tid }: Claims): boolean {
  if (typeof tid !== 'string' || !DIRECTORY.test(tid)) return false;
  switch (tenant) {
    case 'common':
      return true;
    case 'organizations':
      return tid !== CONSUMERS;
    case 'consumers':
      return tid === CONSUMERS;
    default:
      return tid === tenant;
  }
}
