/** What lies in a bucket below a prefix, page by page. The answers are another program's: what they say is looked at before it is used. */
import { bytesSaid, guarded, S3Failed } from './s3-fault.ts';
import { s3Client, type S3Login } from './s3-client.ts';

export interface Stored {
  readonly key: string;
  readonly bytes: number;
  readonly storedMs: number;
}

const PAGE_KEYS = 1000;

/** Throws S3Failed. */
export async function* listObjects(login: S3Login, prefix: string): AsyncGenerator<Stored> {
  const client = await s3Client(login, onward());
  let token: string | undefined;
  do {
    const page = await guarded(() => client.listObjectsPaged('/', prefix, PAGE_KEYS, token));
    for (const object of page?.objects ?? []) yield stored(object);
    token = page?.nextContinuationToken;
  } while (token !== undefined);
}

/** A page that names itself as the next one makes a list without an end: the library asks for it for ever. */
function onward(): typeof fetch {
  let before: string | null = null;
  return (url, request) => {
    const token = new URL(url instanceof Request ? url.url : url).searchParams.get('continuation-token');
    if (token !== null && token === before)
      throw new S3Failed('the S3 store: a page of its list names itself as the next one');
    before = token;
    return fetch(url, request);
  };
}

interface Listed {
  readonly Key: unknown;
  readonly Size: unknown;
  readonly LastModified: unknown;
}

/** XML gives texts, and the library a time or a text. */
function stored({ Key, Size, LastModified }: Listed): Stored {
  if (typeof Key !== 'string') throw new S3Failed('the S3 store: its list has an object without a key');
  const bytes = typeof Size === 'string' || typeof Size === 'number' ? bytesSaid(Number(Size)) : bytesSaid(Number.NaN);
  return { key: Key, bytes, storedMs: new Date(LastModified as string | Date).getTime() };
}
