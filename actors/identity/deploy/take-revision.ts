/** `POST /superadmin/deploy/revisions`: the archive of a product, in pieces. What is cut off, too large or faulty is kept nowhere. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { busy, refuse } from '../refusals.ts';
import { refusedDeployer } from './deployer.ts';
import type { deployRoutes } from './routes.ts';
import { SENT, type Sent } from './sent.ts';

type Result = Outcome<(typeof deployRoutes)['deployRevision']>;

const { archiveBytesMax } = limits.product;

export async function takeRevision(identity: Identity, call: Call): Promise<Result> {
  const denied = refusedDeployer(call);
  if (denied !== null) return denied;
  const sent = SENT.of(call.activation);
  if (sent.isTaking) return busy();
  sent.isTaking = true;
  try {
    return await taken(identity, call, sent);
  } finally {
    sent.isTaking = false;
  }
}

async function taken(identity: Identity, call: Call, sent: Sent): Promise<Result> {
  const plane = call.activation.position.key;
  call.abort();
  const archive = await archiveOf(call);
  if (archive === null)
    return refuse('product_too_large', { message: `the archive has more than ${archiveBytesMax} bytes` });
  const [first] = await identity.node.ask('deploy.tenants', { plane });
  if (first === undefined)
    return refuse('unknown_tenant', { message: 'no tenant of this product is registered: provision one first' });
  const product = await identity.deploys.take(archive, first.localdir);
  if ('problems' in product) return refuse('product_refused', { message: product.problems.trimEnd() });
  sent.add(product.revision);
  call.involve({ target: product.revision, data: { files: product.files } });
  return reply(201, product);
}

/** The whole archive; null when it is too large: what follows is dropped. Throws where the caller leaves before its end. */
async function archiveOf(call: Call): Promise<Uint8Array | null> {
  if (call.stream === null) return Buffer.from(call.body as string, 'latin1');
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of call.stream) {
    bytes += piece.byteLength;
    if (bytes > archiveBytesMax) {
      call.stream.drop();
      return null;
    }
    pieces.push(Uint8Array.from(piece));
  }
  return Buffer.concat(pieces);
}
