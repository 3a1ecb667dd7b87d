/** A real sign-in provider on loopback that speaks the dialect of a known one. It checks what it is sent as the known one does. */
import { createHash, generateKeyPairSync, randomBytes, sign, verify, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Dialect {
  /** `{tenantid}` in it stands for the `tid` of the account. */
  readonly issuerPath?: string;
  readonly methods?: readonly string[];
  /** Apple: who signs the secret, and the key to check it with. */
  readonly secretKey?: KeyObject;
  /** GitHub: an error comes with 200. */
  readonly errorsAs200?: boolean;
  /** No ID token: plain OAuth 2. */
  readonly plain?: boolean;
}

export const CLIENT = { client_id: 'atlas', client_secret: 'client-secret-of-atlas' };
const TEAM = 'TEAM';

interface Grant {
  readonly account: string;
  readonly challenge: string;
  readonly nonce: string | null;
  readonly redirectUri: string;
}

export class DialectProvider {
  readonly origin: string;
  readonly host: string;
  /** What the provider says of its accounts: claims of the ID token, or answers of its API by path. */
  readonly accounts = new Map<string, Readonly<Record<string, unknown>>>();
  readonly seen: string[] = [];
  readonly #dialect: Dialect;
  readonly #server;
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, string>();
  readonly #key = generateKeyPairSync('rsa', { modulusLength: 2048 });

  private constructor(server: ReturnType<typeof createServer>, dialect: Dialect) {
    this.#server = server;
    this.#dialect = dialect;
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.origin = `http://${this.host}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(dialect: Dialect = {}): Promise<DialectProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new DialectProvider(server, dialect);
  }

  get endpoints() {
    const { origin } = this;
    return { authorization: `${origin}/authorize`, token: `${origin}/token`, user: `${origin}/user` };
  }

  /** The person signs in as `account` in a browser: what the product's page gets. */
  signIn(authorizationUrl: string, account: string): URLSearchParams {
    const url = new URL(authorizationUrl);
    const query = url.searchParams;
    if (url.origin !== this.origin || url.pathname !== '/authorize') throw new Error(`not ours: ${url.href}`);
    if (query.get('client_id') !== CLIENT.client_id || query.get('code_challenge_method') !== 'S256')
      throw new Error(`no sign-in: ${url.search}`);
    const code = randomBytes(16).toString('hex');
    this.#grants.set(code, {
      account,
      challenge: query.get('code_challenge')!,
      nonce: query.get('nonce'),
      redirectUri: query.get('redirect_uri')!,
    });
    return new URLSearchParams({ code, state: query.get('state')! });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!.split('?')[0]!;
    this.seen.push(path);
    const body = await textOf(request);
    const { authorization = '', accept = '', 'user-agent': agent } = request.headers;
    // As GitHub: forms unless JSON is asked for, and no answer to a nameless program.
    if (this.#dialect.plain === true && (!accept.includes('json') || (agent === undefined && path !== '/token')))
      return void response.writeHead(403).end('error=forbidden');
    const [status, value] = this.#route(path, body, authorization);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }

  #route(path: string, body: string, authorization: string): [number, unknown] {
    if (path.endsWith('/.well-known/openid-configuration')) return [200, this.#metadata()];
    if (path === '/jwks') return [200, { keys: [{ ...this.#key.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' }] }]; // prettier-ignore
    if (path === '/token') return this.#token(new URLSearchParams(body), authorization);
    const account = this.#tokens.get(authorization.replace(/^Bearer /i, ''));
    const said = account === undefined ? undefined : this.accounts.get(account)?.[path];
    return said === undefined ? [401, { message: 'Bad credentials' }] : [200, said];
  }

  #metadata() {
    const { origin } = this;
    return {
      issuer: `${origin}${this.#dialect.issuerPath ?? ''}`,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...(this.#dialect.methods === undefined ? {} : { token_endpoint_auth_methods_supported: this.#dialect.methods }),
    };
  }

  #token(form: URLSearchParams, authorization: string): [number, unknown] {
    if (!this.#isClient(form, authorization)) return [401, { error: 'invalid_client' }];
    const grant = this.#grants.get(form.get('code') ?? '');
    this.#grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url'); // prettier-ignore
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
      return this.#dialect.errorsAs200 === true
        ? [200, { error: 'bad_verification_code' }]
        : [400, { error: 'invalid_grant' }];
    const access_token = randomBytes(16).toString('hex');
    this.#tokens.set(access_token, grant.account);
    if (this.#dialect.plain === true) return [200, { access_token, token_type: 'bearer', scope: 'user' }];
    return [200, { access_token, token_type: 'Bearer', expires_in: 60, id_token: this.#idToken(grant) }];
  }

  #isClient(form: URLSearchParams, authorization: string): boolean {
    const { secretKey, methods } = this.#dialect;
    const given = form.get('client_secret') ?? '';
    if (secretKey !== undefined)
      return form.get('client_id') === CLIENT.client_id && isSigned(given, secretKey, this.origin);
    if (methods !== undefined && !methods.includes('client_secret_basic'))
      return form.get('client_id') === CLIENT.client_id && given === CLIENT.client_secret;
    // RFC 6749 §2.3.1: both parts are form-encoded.
    const basic = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const [id, secret] = basic.split(':').map(decodeURIComponent);
    return id === CLIENT.client_id && secret === CLIENT.client_secret;
  }

  #idToken({ account, nonce }: Grant): string {
    const claims = this.accounts.get(account) ?? {};
    const issuer = `${this.origin}${this.#dialect.issuerPath ?? ''}`.replace('{tenantid}', String(claims['tid']));
    const now = Math.floor(Date.now() / 1000);
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = { iss: issuer, sub: account, aud: CLIENT.client_id, iat: now, exp: now + 60, nonce, ...claims };
    const signed = `${part({ alg: 'RS256', kid: 'k' })}.${part(body)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), this.#key.privateKey).toString('base64url')}`;
  }
}

/** As Apple checks it: signed by the team's key, for this client, for Apple, and not over. */
function isSigned(jwt: string, key: KeyObject, audience: string): boolean {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const read = (text: string) =>
    JSON.parse(Buffer.from(text, 'base64url').toString() || '{}') as Record<string, unknown>;
  const { iss, sub, aud, exp } = read(body);
  const fits = verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')); // prettier-ignore
  return (
    fits &&
    read(head)['kid'] === 'KEY' &&
    iss === TEAM &&
    sub === CLIENT.client_id &&
    aud === audience &&
    Number(exp) > 0
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece as string;
  return text;
}
