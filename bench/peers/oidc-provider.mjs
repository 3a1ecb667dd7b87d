/** oidc-provider's client credentials: a JWT signed with Ed25519 as access token, its memory adapter. It sends its parent the port and a client. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const secret = randomBytes(32).toString('hex');
const signed = { scope: 'bench', audience: 'bench', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'EdDSA' } } };
const provider = new Provider('http://127.0.0.1', {
  jwks: { keys: [{ ...key, alg: 'EdDSA', use: 'sig', kid: 'bench' }] },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  clients: [
    {
      client_id: 'bench',
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'EdDSA',
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:bench',
      getResourceServerInfo: () => signed,
      useGrantedResource: () => true,
    },
  },
});
const server = createServer(provider.callback());
server.listen(0, '127.0.0.1', () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}`, authorization: `Basic ${btoa(`bench:${secret}`)}` }),
);
process.once('message', () => process.exit(0));
process.once('disconnect', () => process.exit(1));
