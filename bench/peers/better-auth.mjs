/** better-auth's API keys on its memory adapter, or on node:sqlite in the file of its argument, behind node:http: verifyApiKey, its rate limit off. It sends its parent the port and a key. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { memoryAdapter } from 'better-auth/adapters/memory';

const [file] = process.argv.slice(2);
function database() {
  if (file === undefined) return memoryAdapter({ user: [], session: [], account: [], verification: [], apikey: [] });
  const sqlite = new DatabaseSync(file);
  sqlite.exec('pragma journal_mode = wal; pragma synchronous = normal');
  return sqlite;
}

const options = {
  baseURL: 'http://127.0.0.1',
  secret: randomBytes(32).toString('hex'),
  database: database(),
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
};
if (file !== undefined) await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);
const { user } = await auth.api.signUpEmail({
  body: { email: 'bench@example.org', password: randomBytes(16).toString('hex'), name: 'bench' },
});
const { key } = await auth.api.createApiKey({ body: { userId: user.id, rateLimitEnabled: false } });
const server = createServer((request, response) => {
  auth.api.verifyApiKey({ body: { key: request.headers['x-api-key'] ?? '' } }).then(
    ({ valid }) =>
      response.writeHead(valid ? 200 : 401, { 'Content-Type': 'application/json' }).end(JSON.stringify({ valid })),
    () => response.writeHead(500).end(),
  );
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}`, key }));
process.once('message', () => process.exit(0));
process.once('disconnect', () => process.exit(1));
