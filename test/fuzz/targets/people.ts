/** People who come from elsewhere: rows of an import, answers of authenticators. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

const HASH = '$2b$06$abcdefghijklmnopqrstuuKZkgb5mOPWzWZIEgQCsUqkhVCjaGTrq';
const EVA = {
  email: 'eva@example.org',
  verified: true,
  firstname: 'Eva',
  roles: ['tenant_user'],
  external_id: 'auth0|42',
  created_at: '2019-05-01T12:00:00+02:00',
  password_hash: HASH,
};
const TYPES = ['application/json', 'application/x-ndjson', 'text/csv'];
/** After so many inputs the tenant begins anew: what was imported stays. */
const WORLD_INPUTS = 200;

/** The type on the first line, the rows behind it; the same rows go through what the command line reads them by. */
export async function userImportTarget(): Promise<Target> {
  const { PeopleWorld } = await import('#test/actors/identity/people/kit.ts');
  const { rowOfCells, rowOfLine } = await import('#actors/identity/import/read-rows.ts');
  let world = await PeopleWorld.open();
  let taken = 0;
  const run = async (input: Buffer): Promise<void> => {
    if (++taken % WORLD_INPUTS === 0) world = await PeopleWorld.open();
    const end = input.indexOf('\n');
    const named = input.toString('latin1', 0, Math.max(end, 0));
    const type = TYPES.find((one) => one === named) ?? TYPES[input.length % 3]!;
    const body = input.subarray(end + 1);
    const asking = world.ask('importUsers', {
      authorization: world.admin,
      body: body.toString('latin1'),
      extra: `content-type:${type}\n`,
    });
    const ended = asking.then(
      () => true,
      () => true,
    );
    const turn = (): Promise<boolean> => new Promise((resolve) => void setImmediate(resolve, false));
    // What waits for the end of a turn runs.
    while (!(await Promise.race([ended, turn()]))) world.settle();
    const { status, body: said } = await asking;
    must(status === 200 || status === 400, `status ${status}`);
    if (status === 200) {
      const rows = said['rows'] as { row: number; result: string; code?: string }[];
      must(
        rows.every(({ row }, at) => row === at + 1),
        'rows out of order',
      );
      must(
        rows.every(({ result, code }) => (result === 'refused') === (code !== undefined)),
        'a refusal without a code',
      );
      must(Number(said['imported']) + Number(said['existing']) + Number(said['refused']) === rows.length, 'other sums');
    }
    const [header = '', ...lines] = body.toString().split('\n');
    for (const line of lines.slice(0, 20)) {
      void rowOfCells(header.split(','), line.split(','));
      void rowOfLine(line);
    }
  };
  return {
    name: 'user-import',
    costs: 4,
    form: 'text',
    covers: [
      '/actors/identity/import/',
      '/actors/kit/foreign-hash/',
      '/actors/kit/json.ts',
      '/node_modules/csv-parse/',
    ],
    seeds: [
      `${TYPES[0]}\n${JSON.stringify({ users: [EVA, { email: 'b@example.org' }] })}`,
      `${TYPES[0]}\n${JSON.stringify([{ ...EVA, email: 'c@example.org', password_hash: 'pbkdf2_sha256$1000$salt$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g=' }])}`,
      `${TYPES[1]}\n${JSON.stringify({ ...EVA, email: 'd@example.org' })}\n\n{"email":"e@example.org","roles":[]}\n`,
      `${TYPES[2]}\nemail,verified,roles,password_hash\nf@example.org,yes,"tenant_user; tenant_admin",${HASH}\n"g@example.org",0,,\n`,
      `${TYPES[2]}\n\ufeffemail,firstname,lastname,external_id,created_at\r\nh@example.org,"E ""x""",,1,2019-05-01\r\n`,
    ],
    words: [
      ...TYPES,
      ...Object.keys(EVA),
      ',',
      '"',
      '""',
      '\r\n',
      '\n',
      ';',
      'superadmin',
      '*',
      '$2b$31$',
      '$argon2id$v=19$m=9999999,t=99,p=9$',
      '{"users":[',
      '@',
      '\0',
      '__proto__',
    ],
    bytesMax: 16_384,
    stepsMax: linear(60_000, 900),
    run,
  };
}

const SETTINGS = {
  rp_id: 'example.org',
  rp_name: 'Atlas',
  origins: ['https://app.example.org'],
  user_verification: 'preferred',
} as const;
const ID = Buffer.alloc(32, 9);
const RP_HASH = createHash('sha256').update(SETTINGS.rp_id).digest();

/**
 * An answer of an authenticator: what the browser says on the first line, then CBOR of an attestation, or the authenticator data of an assertion, which are
 * signed anew. Attestations are no secret, and nothing signs them.
 */
export async function passkeyTarget(): Promise<Target> {
  const { verifyAssertion, verifyRegistration } = await import('#actors/identity/passkey/verify.ts');
  const { clientDataFault, readClientData } = await import('#actors/identity/passkey/client-data.ts');
  const { loginRequest, registerRequest } = await import('#actors/identity/passkey/shapes.ts');
  const { SoftAuthenticator, cbor } = await import('#test/kit/soft-authenticator.ts');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const part = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  const cose = cbor([[1, 2], [3, -7], [-1, 1], [-2, part(x)], [-3, part(y)]]); // prettier-ignore
  const id = ID.toString('base64url');
  const credential = { id, rawId: id, type: 'public-key' } as const;

  const registered = async (clientDataJSON: string, answer: Buffer): Promise<void> => {
    const response = { clientDataJSON, attestationObject: answer.toString('base64url') };
    const body = registerRequest.safeParse({ credential: { ...credential, response } });
    const client = readClientData(clientDataJSON);
    if (!body.success || client === null) return;
    const made = await verifyRegistration(SETTINGS, body.data.credential, client);
    if (made === null) return;
    must(
      clientDataFault(client, 'webauthn.create', SETTINGS.origins) === null || client.crossOrigin === true,
      'a page of another origin',
    );
    must(answer.includes(RP_HASH), 'a passkey of another domain');
    must(made.credentialId === id && made.publicKey.length > 0, 'a passkey with another id');
  };
  const asserted = async (clientDataJSON: string, data: Buffer): Promise<void> => {
    const signed = Buffer.concat([data, createHash('sha256').update(part(clientDataJSON)).digest()]);
    const signature = sign('sha256', signed, privateKey).toString('base64url');
    const response = { clientDataJSON, authenticatorData: data.toString('base64url'), signature };
    const body = loginRequest.safeParse({ credential: { ...credential, response } });
    const client = readClientData(clientDataJSON);
    if (!body.success || client === null) return;
    const key = { credential_id: id, public_key: cose };
    const verified = await verifyAssertion(SETTINGS, body.data.credential, client, key);
    if (verified !== null) {
      must(
        data.subarray(0, 32).equals(RP_HASH) && (data[32]! & 1) === 1,
        'an answer of another domain, or without its user',
      );
      must(verified.counter === data.readUInt32BE(33), 'another counter');
      must(
        client.type === 'webauthn.get' && SETTINGS.origins.some((origin) => origin === client.origin),
        'another page',
      );
    }
    const other = {
      ...body.data.credential,
      response: { ...response, signature: sign('sha256', signed.subarray(1), privateKey).toString('base64url') },
    };
    must((await verifyAssertion(SETTINGS, other, client, key)) === null, 'a signature over other bytes is taken');
  };
  const seeds: Buffer[] = [];
  for (const synced of [false, true]) {
    const device = new SoftAuthenticator({ synced, counts: !synced });
    const made = device.create(
      { rp: { id: SETTINGS.rp_id }, user: { id: 'dQ' }, challenge: 'Y2hhbGxlbmdl' },
      { credentialId: ID },
    );
    const shown = device.get({ rpId: SETTINGS.rp_id, challenge: 'Y2hhbGxlbmdl' });
    seeds.push(
      Buffer.concat([part(made.response.clientDataJSON), Buffer.from('\n'), part(made.response.attestationObject)]),
    );
    seeds.push(
      Buffer.concat([part(shown.response.clientDataJSON), Buffer.from('\n'), part(shown.response.authenticatorData)]),
    );
  }
  return {
    name: 'passkey',
    costs: 3,
    form: 'bytes',
    covers: [
      '/actors/identity/passkey/',
      '/node_modules/@simplewebauthn/server/',
      '/node_modules/@levischuck/tiny-cbor/',
      '/actors/kit/json.ts',
    ],
    seeds,
    words: [
      'webauthn.get',
      'webauthn.create',
      '"crossOrigin":true',
      '"origin":',
      'fmt',
      'none',
      'packed',
      'attStmt',
      'authData',
      '\xa3',
      '\xbf',
      '\x5f',
      '\x9f',
      '\xff',
      '\xfb',
      '\x1b\xff\xff\xff\xff\xff\xff\xff\xff',
      '\x59\xff\xff',
      '\xa5\x01\x02\x03\x26',
    ],
    bytesMax: 8192,
    stepsMax: linear(6000, 60),
    // Signatures are checked by WebCrypto, on threads of their own.
    waits: true,
    run: async (input) => {
      const end = Math.max(input.indexOf('\n'), 0);
      const clientDataJSON = input.subarray(0, end).toString('base64url');
      const answer = input.subarray(end + 1);
      await registered(clientDataJSON, answer);
      await asserted(clientDataJSON, answer);
    },
  };
}
