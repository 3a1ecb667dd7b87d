/** One page in Debian's Chromium, driven over its debugging protocol: what it shows, what it fetched, what the browser refused it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FLAGS } from './chromium.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/** A device that holds passkeys and verifies its user, whose finger is always there (WebAuthn §11). */
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
};

const COMPLAINTS: ReadonlySet<string> = new Set(['error', 'warning', 'assert']);

export class ChromiumPage {
  /** Addresses that it asked for. */
  readonly fetched: string[] = [];
  /** Errors of its scripts, and what the browser's policy refused. */
  readonly refused: string[] = [];
  /** Errors and warnings that its scripts wrote to the console. */
  readonly complaints: string[] = [];
  /** Of the page that opened the browser; its tabs have none. */
  readonly #browser: ChildProcess | null;
  readonly #profile: string;
  readonly #port: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #loaded: () => void = () => undefined;
  /** What waits for the next event of a name. */
  readonly #awaited = new Map<string, (params: Record<string, unknown>) => void>();

  private constructor(browser: ChildProcess | null, profile: string, port: string, socket: WebSocket) {
    this.#browser = browser;
    this.#profile = profile;
    this.#port = port;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data)) as Message));
  }

  static async open(): Promise<ChromiumPage> {
    const profile = mkdtempSync(join(tmpdir(), 'skep-chromium-'));
    const browser = spawn(
      'chromium',
      [...FLAGS, '--window-size=1280,900', `--user-data-dir=${profile}`, 'about:blank'],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      },
    );
    const port = await portOf(browser);
    return ChromiumPage.#attach(browser, profile, port, ({ type }) => type === 'page');
  }

  static async #attach(
    browser: ChildProcess | null,
    profile: string,
    port: string,
    isIt: (target: Record<string, string>) => boolean,
  ): Promise<ChromiumPage> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as Record<string, string>[];
    const socket = new WebSocket(targets.find(isIt)!['webSocketDebuggerUrl']!);
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
    const page = new ChromiumPage(browser, profile, port, socket);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.#call(`${domain}.enable`);
    return page;
  }

  /** Another tab of the same browser, with the same storage and cookies. It ends with the browser. */
  async newTab(): Promise<ChromiumPage> {
    const { targetId } = await this.#call('Target.createTarget', { url: 'about:blank' });
    return ChromiumPage.#attach(null, this.#profile, this.#port, ({ id }) => id === targetId);
  }

  /** Gives the page a virtual authenticator. */
  async addAuthenticator(): Promise<void> {
    await this.#call('WebAuthn.enable');
    await this.#call('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
  }

  /** Opens an address, and waits until everything that it names is loaded. */
  async goto(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => (this.#loaded = resolve));
    await this.#call('Page.navigate', { url });
    await loaded;
  }

  /** Runs the body of an async function in the page; gives what it returns. */
  async run(script: string): Promise<unknown> {
    const expression = `(async () => { ${script} })()`;
    const { result, exceptionDetails } = (await this.#call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value?: unknown }; exceptionDetails?: { exception?: { description?: string } } };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? 'it threw');
    return result.value;
  }

  /** What it shows, as a PNG. */
  async picture(form: object = {}): Promise<Buffer> {
    return Buffer.from((await this.#call('Page.captureScreenshot', form))['data'] as string, 'base64');
  }

  /** A command of the debugging protocol. */
  command(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.#call(method, params);
  }

  /** The next event of this name, with what it says. */
  next(event: string): Promise<Record<string, unknown>> {
    return new Promise((resolve) => this.#awaited.set(event, resolve));
  }

  async close(): Promise<void> {
    this.#socket.close();
    if (this.#browser === null) return;
    const ended = once(this.#browser, 'exit');
    process.kill(-this.#browser.pid!, 'SIGKILL');
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10 });
  }

  #call(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #hear({ id, method, params, result, error }: Message): void {
    if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result ?? {});
      else waiting?.reject(new Error(error.message));
      return;
    }
    const awaited = this.#awaited.get(method!);
    this.#awaited.delete(method!);
    awaited?.(params ?? {});
    if (method === 'Page.loadEventFired') this.#loaded();
    if (method === 'Network.requestWillBeSent') this.fetched.push((params!['request'] as { url: string }).url);
    if (method === 'Log.entryAdded') {
      const { text, url = '' } = params!['entry'] as { text: string; url?: string };
      this.refused.push(`${text} ${url}`.trim());
    }
    if (method === 'Runtime.consoleAPICalled' && COMPLAINTS.has(String(params!['type'])))
      this.complaints.push(JSON.stringify(params!['args']));
    if (method === 'Runtime.exceptionThrown') this.refused.push(JSON.stringify(params));
  }
}

/** It says on its error stream where it can be driven. */
async function portOf(browser: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: browser.stderr! })) {
    const port = /^DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(line)?.[1];
    if (port === undefined) continue;
    // Later lines are read and dropped: a full pipe would hold the browser up.
    browser.stderr!.resume();
    return port;
  }
  throw new Error('chromium ended before it could be driven');
}
