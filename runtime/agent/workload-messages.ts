/** Messages of the SPIFFE Workload API (SPIFFE "Workload API", appendix: workloadapi.proto), as protobuf fields. */
import protobuf, { type IMapField } from 'protobufjs/light.js';

const text = (id: number) => ({ id, type: 'string' });
const bytes = (id: number) => ({ id, type: 'bytes' });
const many = (id: number, type: string) => ({ id, type, rule: 'repeated' });
const map = (id: number, type: string): IMapField => ({ id, type, keyType: 'string' });
const bundles = (id: number) => map(id, 'bytes');

const root = protobuf.Root.fromJSON({
  nested: {
    X509SVIDResponse: {
      fields: { svids: many(1, 'X509SVID'), crl: many(2, 'bytes'), federatedBundles: bundles(3) },
    },
    X509SVID: {
      fields: { spiffeId: text(1), x509Svid: bytes(2), x509SvidKey: bytes(3), bundle: bytes(4), hint: text(5) },
    },
    X509BundlesResponse: { fields: { crl: many(1, 'bytes'), bundles: bundles(2) } },
    JWTSVIDRequest: { fields: { audience: many(1, 'string'), spiffeId: text(2) } },
    JWTSVIDResponse: { fields: { svids: many(1, 'JWTSVID') } },
    JWTSVID: { fields: { spiffeId: text(1), svid: text(2), hint: text(3) } },
    JWTBundlesResponse: { fields: { bundles: bundles(1) } },
    ValidateJWTSVIDRequest: { fields: { audience: text(1), svid: text(2) } },
    ValidateJWTSVIDResponse: { fields: { spiffeId: text(1), claims: { id: 2, type: 'Struct' } } },
    // google/protobuf/struct.proto
    Struct: { fields: { fields: map(1, 'Value') } },
    Value: {
      oneofs: {
        kind: { oneof: ['nullValue', 'numberValue', 'stringValue', 'boolValue', 'structValue', 'listValue'] },
      },
      fields: {
        nullValue: { id: 1, type: 'int32' },
        numberValue: { id: 2, type: 'double' },
        stringValue: text(3),
        boolValue: { id: 4, type: 'bool' },
        structValue: { id: 5, type: 'Struct' },
        listValue: { id: 6, type: 'ListValue' },
      },
    },
    ListValue: { fields: { values: many(1, 'Value') } },
  },
});

export type MessageName =
  | 'X509SVIDResponse'
  | 'X509BundlesResponse'
  | 'JWTSVIDResponse'
  | 'JWTBundlesResponse'
  | 'ValidateJWTSVIDResponse';

/** The bytes of a message. */
export function encodeMessage(name: MessageName, value: object): Buffer {
  const type = root.lookupType(name);
  return Buffer.from(type.encode(type.fromObject(value)).finish());
}

export interface JwtRequest {
  readonly audience: readonly string[];
  readonly spiffeId: string;
}

export interface ValidateRequest {
  readonly audience: string;
  readonly svid: string;
}

/** A request's fields; null for malformed bytes. */
export function decodeRequest(name: 'JWTSVIDRequest', message: Buffer): JwtRequest | null;
export function decodeRequest(name: 'ValidateJWTSVIDRequest', message: Buffer): ValidateRequest | null;
export function decodeRequest(name: string, message: Buffer): unknown {
  const type = root.lookupType(name);
  try {
    return type.toObject(type.decode(message), { defaults: true, arrays: true });
  } catch {
    return null;
  }
}

/** JSON as google.protobuf.Struct. */
export function structOf(claims: Readonly<Record<string, unknown>>): object {
  return { fields: Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, valueOf(value)])) };
}

function valueOf(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(valueOf) } };
  if (typeof value === 'object' && value !== null) return { structValue: structOf(value as Record<string, unknown>) };
  return { nullValue: 0 };
}
