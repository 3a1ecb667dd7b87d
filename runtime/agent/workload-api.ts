/** The SPIFFE Workload API, X.509-SVID and JWT-SVID profiles (SPIFFE "Workload API" §4–§6), for attested peers. */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { verifyJwt } from '#actors/vault/pki/jwt.ts';
import { PeerChanged, type AttestedPeer } from './attestor.ts';
import { GRPC, GrpcError, type GrpcCall } from './grpc.ts';
import type { Identity, SvidKeeper } from './svid-keeper.ts';
import { VaultAway, VaultRefused } from './vault-calls.ts';
import { decodeRequest, encodeMessage, structOf } from './workload-messages.ts';

export interface WorkloadPorts {
  readonly keeper: SvidKeeper;
  readonly clock: Clock;
  /** The authority's certificate, DER, and its trust domain. */
  readonly bundle: () => Buffer;
  readonly trustDomain: string;
}

const SERVICE = '/SpiffeWorkloadAPI/';
/** §3.2: refuses requests that a browser or a proxy was tricked into sending. */
const SECURITY_HEADER = 'workload.spiffe.io';

type Method = (ports: WorkloadPorts, call: GrpcCall, peer: AttestedPeer) => Promise<void>;

/** Answers one call; an error ends it with the status that the standard names. */
export async function serveWorkload(ports: WorkloadPorts, call: GrpcCall, peer: AttestedPeer): Promise<void> {
  try {
    if (call.headers[SECURITY_HEADER] !== 'true')
      throw new GrpcError(GRPC.invalidArgument, `the header ${SECURITY_HEADER} is missing`);
    const method = METHODS[call.path.startsWith(SERVICE) ? call.path.slice(SERVICE.length) : ''];
    if (method === undefined) throw new GrpcError(GRPC.unimplemented, 'no such method');
    await method(ports, call, peer);
    call.end(GRPC.ok);
  } catch (error) {
    const { status, message } = grpcOf(error);
    call.end(status, message);
  }
}

function grpcOf(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error;
  if (error instanceof PeerChanged) return new GrpcError(GRPC.permissionDenied, error.message);
  if (error instanceof VaultAway) return new GrpcError(GRPC.unavailable, error.message);
  if (error instanceof VaultRefused) return new GrpcError(GRPC.permissionDenied, error.message);
  return new GrpcError(GRPC.internal, 'the agent failed: see its log');
}

const METHODS: Readonly<Record<string, Method | undefined>> = {
  FetchX509SVID: async (ports, call, peer) => {
    await call.request();
    await stream(ports, call, peer, async (identities) => {
      const svids = await Promise.all(identities.map((identity) => ports.keeper.x509(identity)));
      const bundle = ports.bundle();
      const crl = await ports.keeper.crl();
      call.send(
        encodeMessage('X509SVIDResponse', {
          svids: svids.map(({ spiffeId, certificate, key }) => ({
            spiffeId,
            x509Svid: certificate,
            x509SvidKey: key,
            bundle,
          })),
          crl: crl === null ? [] : [crl],
        }),
      );
      return Math.min(...svids.map(({ renewAtMs, untilMs }) => nextLook(ports, renewAtMs, untilMs)));
    });
  },

  FetchX509Bundles: async (ports, call, peer) => {
    await call.request();
    await stream(ports, call, peer, async () => {
      const crl = await ports.keeper.crl();
      const bundles = { [`spiffe://${ports.trustDomain}`]: ports.bundle() };
      call.send(encodeMessage('X509BundlesResponse', { bundles, crl: crl === null ? [] : [crl] }));
      return ports.clock.now() + limits.agent.crlMs;
    });
  },

  FetchJWTSVID: async (ports, call, peer) => {
    const wish = decodeRequest('JWTSVIDRequest', await call.request());
    if (wish === null || wish.audience.length === 0 || wish.audience.some((one) => one === ''))
      throw new GrpcError(GRPC.invalidArgument, 'name at least one audience');
    if (wish.audience.length > limits.workload.audiencesMax)
      throw new GrpcError(GRPC.invalidArgument, `at most ${limits.workload.audiencesMax} audiences`);
    const all = await matching(ports, peer);
    const identities = wish.spiffeId === '' ? all : all.filter(({ spiffe_id }) => spiffe_id === wish.spiffeId);
    if (identities.length === 0) throw noIdentity();
    const jwts = await Promise.all(identities.map((identity) => ports.keeper.jwt(identity, wish.audience)));
    call.send(
      encodeMessage('JWTSVIDResponse', { svids: jwts.map(({ spiffeId, token }) => ({ spiffeId, svid: token })) }),
    );
  },

  FetchJWTBundles: async (ports, call, peer) => {
    await call.request();
    await stream(ports, call, peer, async () => {
      const { text } = await ports.keeper.jwtKeys();
      call.send(encodeMessage('JWTBundlesResponse', { bundles: { [`spiffe://${ports.trustDomain}`]: text } }));
      return ports.clock.now() + limits.agent.crlMs;
    });
  },

  ValidateJWTSVID: async (ports, call, peer) => {
    const wish = decodeRequest('ValidateJWTSVIDRequest', await call.request());
    if (wish === null || wish.audience === '' || wish.svid === '')
      throw new GrpcError(GRPC.invalidArgument, 'name the audience and the token');
    await matching(ports, peer);
    const { keys } = await ports.keeper.jwtKeys();
    const judged = verifyJwt((kid) => keys.get(kid), wish.svid, {
      audience: wish.audience,
      nowMs: ports.clock.now(),
    });
    if (typeof judged === 'string') throw new GrpcError(GRPC.invalidArgument, `the token is not valid: ${judged}`);
    if (!judged.sub.startsWith('spiffe://')) throw new GrpcError(GRPC.invalidArgument, 'the token is not a JWT-SVID');
    call.send(encodeMessage('ValidateJWTSVIDResponse', { spiffeId: judged.sub, claims: structOf(judged) }));
  },
};

/** §5.2.1: a caller without an identity learns only that it has none. */
const noIdentity = (): GrpcError => new GrpcError(GRPC.permissionDenied, 'no identity issued');

async function matching(ports: WorkloadPorts, peer: AttestedPeer): Promise<Identity[]> {
  const found = await peer.select(ports.keeper.identities);
  if (found.length === 0) throw noIdentity();
  return found;
}

/** An SVID past its renewal is there only because the vault is unreachable: retried soon, and at its end in any case. */
function nextLook({ clock }: WorkloadPorts, renewAtMs: number, untilMs: number): number {
  const now = clock.now();
  return renewAtMs > now ? renewAtMs : Math.min(untilMs, now + limits.agent.retryMsMin);
}

/**
 * A call that stays open: it sends, and sends again when its certificate is due or identities changed; each time the peer is attested again. It
 * ends when the caller leaves.
 */
async function stream(
  ports: WorkloadPorts,
  call: GrpcCall,
  peer: AttestedPeer,
  send: (identities: readonly Identity[]) => Promise<number>,
): Promise<void> {
  while (call.isOpen) {
    const nextMs = await send(await matching(ports, peer));
    await dueOrChanged(ports, call, nextMs);
  }
}

/** The longest delay of a Node timer. */
const TIMER_MS_MAX = 2 ** 31 - 1;

function dueOrChanged({ keeper, clock }: WorkloadPorts, call: GrpcCall, nextMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(), Math.min(Math.max(0, nextMs - clock.now()), TIMER_MS_MAX));
    const forget = keeper.onChange(() => end());
    const stay = call.onClose(() => end()); // cancelled each time: a stream that is open for weeks must not collect listeners
    const end = (): void => {
      clearTimeout(timer);
      forget();
      stay();
      resolve();
    };
    if (!call.isOpen) end();
  });
}
