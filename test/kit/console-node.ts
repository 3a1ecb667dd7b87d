/** A node with the console, a product that is written for the test, people, and a page in Chromium: what journeys of a tenant's pages begin with. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildConsole } from './console-build.ts';
import { ConsolePage } from './console-page.ts';
import { TENANT } from './platform-file.ts';
import type { PlatformWish } from './platform-file.ts';
import { startTestNode } from './test-node.ts';
import type { TestNode } from './test-node.ts';

/** How long a build, a node and a browser may take together on a slow machine. */
export const CONSOLE_MS_MAX = 900_000;
const PASSWORD = 'correct horse battery';

interface ConsoleWish extends PlatformWish {
  /** Files of the product, by their path in it. */
  readonly files: Readonly<Record<string, string>>;
  /** Of the console; any that is free unless it is set. */
  readonly port?: number;
}

export class ConsoleNode {
  readonly it: TestNode;
  readonly page: ConsolePage;
  readonly #dir: string;

  private constructor(it: TestNode, page: ConsolePage, dir: string) {
    this.it = it;
    this.page = page;
    this.#dir = dir;
  }

  static async start({ files, port = 0, ...wish }: ConsoleWish): Promise<ConsoleNode> {
    buildConsole();
    const dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    const listeners = `  console: { bind: 127.0.0.1:${port} }\n`;
    const it = await startTestNode({ ...wish, localdir: dir, listeners });
    return new ConsoleNode(it, await ConsolePage.open(), dir);
  }

  /** The address of the console, with a path in it. */
  address = (path = ''): string => `${this.it.node.listeners['console']!}/console${path}`;

  at = (path = '', tenant = TENANT): string => this.address(`/at/${tenant.replaceAll(':', '/')}${path}`);

  /** Makes a person of a tenant who logs in here. */
  ensure = (email: string, roles: readonly string[], tenant = TENANT): Promise<unknown> =>
    this.it.node.ask(tenant, 'identity', 'person.ensure', { email, password: PASSWORD, roles });

  credentials = (email: string) => ({ login: email, password: PASSWORD });

  /** At the form of the log in. */
  logIn = (email: string): Promise<void> => this.page.logIn(email, PASSWORD);

  /** Opens a page of a tenant anew, as this person. */
  open = (path: string, email: string, tenant = TENANT): Promise<void> =>
    this.page.visit(this.at(path, tenant), email, PASSWORD);

  async stop(): Promise<void> {
    await this.page.close();
    await this.it.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
