/** Pages in Debian's Chromium, where the machine has it. In CI its absence fails, elsewhere the cases say loudly that they were skipped. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasChromium = spawnSync('chromium', ['--version']).status === 0;

if (!hasChromium) {
  const message = 'skipped: no chromium on this machine, so calls from pages were NOT tested in a browser';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

/** The debugging port, on loopback, keeps a browser without a window open; nothing connects to it. */
export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--remote-debugging-port=0',
];

/** Tells the site what the script has found, as JSON. */
const PAGE = (script: string): string => `<!doctype html><title>page</title><script type="module">
const tell = (found) => fetch('/found', { method: 'POST', body: JSON.stringify(found) });
try { await tell(await (async () => { ${script} })()); } catch (error) { await tell({ thrown: String(error) }); }
</script>`;

/**
 * A site on loopback with one page, reached under two origins: `http://127.0.0.1:<port>` and `http://localhost:<port>`, which are different
 * ones to a browser.
 */
export class Site {
  readonly #server: Server;
  #script = '';
  /** The group of processes of a browser that runs. */
  #group: number | null = null;
  #found: (found: unknown) => void = () => undefined;

  private constructor() {
    this.#server = createServer((req, res) => this.#answer(req, res));
  }

  static async open(): Promise<Site> {
    const site = new Site();
    await new Promise<void>((resolve) => void site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  origin(host: '127.0.0.1' | 'localhost'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Opens the page at an origin in a browser of its own, runs the body of an async function there, and gives what it returns. */
  async run(origin: string, script: string): Promise<unknown> {
    this.#script = script;
    const found = new Promise((resolve) => (this.#found = resolve));
    const dir = mkdtempSync(join(tmpdir(), 'skep-chromium-'));
    const browser = spawn('chromium', [...FLAGS, `--user-data-dir=${dir}`, origin], {
      stdio: 'ignore',
      detached: true,
    });
    this.#group = browser.pid ?? null;
    const ended = new Promise<never>((_resolve, reject) => {
      browser.on('error', reject).on('exit', (code) => reject(new Error(`chromium ended with ${code}`)));
    });
    try {
      return await Promise.race([found, ended]);
    } finally {
      this.#endBrowser();
      await ended.catch(() => undefined);
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
    }
  }

  /** Closes the site, and ends a browser that has not told anything. */
  async close(): Promise<void> {
    this.#endBrowser();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #endBrowser(): void {
    const group = this.#group;
    this.#group = null;
    if (group === null) return;
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    if (req.method !== 'POST') {
      res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(req.url === '/' ? PAGE(this.#script) : '');
      return;
    }
    let text = '';
    req.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    req.on('end', () => {
      res.writeHead(204).end();
      this.#found(JSON.parse(text));
    });
  }
}
