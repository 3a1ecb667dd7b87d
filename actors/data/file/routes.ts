/** Routes of signed URLs (docs/contract/data.md §5.11). They have no anonymous mirror. */
import { anyone } from '#actors/protocol/callers.ts';
import { ofFile } from '../route-refusals.ts';
import { file, signedUrl, signWish } from '../shapes.ts';
import { looking } from '../who.ts';

const ofRow = { position: 'door', ack: 'fsync', emptyParams: true } as const;

export const signedRows = {
  sign: {
    ...ofRow,
    callers: looking(),
    whileReadOnly: true,
    methods: ['POST'],
    path: '/data/rest/{entity}/id/{id}/sign',
    body: 'json',
    request: signWish,
    compressed: false,
    replies: { 200: signedUrl },
    refusals: [...ofFile, 'v2.bad_json', 'v2.sign_invalid', 'v2.sign_forbidden'],
    summary: 'Make a URL of a file that works without a header: `field`, `expires_in` (seconds), `disposition`',
  },
  read_signed: {
    ...ofRow,
    callers: anyone('the signature of the URL; its signer is authorized as it is now'),
    rate: 'data_anonymous',
    positionIn: 'query',
    methods: ['GET'],
    path: '/data/rest/{entity}/id/{id}/signed',
    headers: ['range', 'if-range', 'if-none-match'],
    body: 'none',
    replies: { 200: file, 206: file, 304: null },
    refusals: [...ofFile, 'v2.range_not_satisfiable', 'v2.signed_url_invalid', 'v2.signed_url_over'],
    summary: 'The bytes of a file, by a URL that `sign` has made',
  },
} as const;
