/** A node with the console, a product that is written for the test, people, operators, and a page in Chromium: what journeys begin with. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { openControl } from '#runtime/control.ts';
import { ROOT } from '#runtime/place.ts';
import { buildConsole } from './console-build.ts';
import { ConsolePage } from './console-page.ts';
import { TENANT, type PlatformWish } from './platform-file.ts';
import { startTestNode, type TestNode } from './test-node.ts';

/** How long a build, a node and a browser may take together on a slow machine. */
export const CONSOLE_MS_MAX = 900_000;
const PASSWORD = 'correct horse battery';
/** A superadmin of the control plane. */
const OPERATOR = { login: 'root@example.org', password: 'a long enough password' };

interface ConsoleWish extends PlatformWish {
  /** A product of `test/kit/products` that is copied, so that a test may change it. */
  readonly like?: string;
  /** Files of the product, by their path in it. */
  readonly files?: Readonly<Record<string, string>>;
  /** Forms of the node, by the names of their files; the shop’s where they are absent. */
  readonly formFiles?: Readonly<Record<string, string>>;
  /** A script that runs in each page before its own. */
  readonly before?: string;
  /** Whether a shell reaches the node. */
  readonly isControlled?: boolean;
  /** Of the console; any that is free unless it is set. */
  readonly port?: number;
}

export class ConsoleNode {
  readonly it: TestNode;
  readonly page: ConsolePage;
  /** Of this test alone: a place to run commands in. */
  readonly dir: string;
  readonly #closeControl: (() => Promise<void>) | null;

  private constructor(it: TestNode, page: ConsolePage, dir: string, closeControl: (() => Promise<void>) | null) {
    this.it = it;
    this.page = page;
    this.dir = dir;
    this.#closeControl = closeControl;
  }

  static async start({
    like,
    files,
    formFiles,
    before,
    isControlled,
    port = 0,
    ...wish
  }: ConsoleWish): Promise<ConsoleNode> {
    buildConsole();
    const dir = mkdtempSync(join(tmpdir(), 'skep-console-'));
    if (like !== undefined) cpSync(`${ROOT}test/kit/products/${like}`, join(dir, PRODUCT), { recursive: true });
    writeAll(join(dir, PRODUCT), files ?? {});
    writeAll(join(dir, 'forms'), formFiles ?? {});
    const it = await startTestNode({
      ...wish,
      ...((like !== undefined || files !== undefined) && { localdir: join(dir, PRODUCT) }),
      ...(formFiles !== undefined && { forms: `{ dir: ${join(dir, 'forms')} }` }),
      listeners: `  console: { bind: 127.0.0.1:${port} }\n`,
    });
    const closeControl = isControlled === true ? await openControl(it.platform.storage.dir, it.node) : null;
    return new ConsoleNode(it, await ConsolePage.open(before), dir, closeControl);
  }

  /** A file of the product. */
  inProduct = (path: string): string => join(this.dir, PRODUCT, path);

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

  /** Makes the operator of the control plane. */
  ensureOperator = (): Promise<unknown> =>
    this.it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...OPERATOR, roles: ['superadmin'] });

  /** Makes the operator, and logs in at the control plane by a link. */
  async enterPlane(): Promise<void> {
    await this.ensureOperator();
    await this.page.blank();
    await this.page.page.goto(this.it.node.consoleLink({ [CONTROL_PLANE]: OPERATOR })!);
  }

  operator = () => OPERATOR;

  /** Opens a page of the control plane anew, as its operator. */
  openPlane = (path: string): Promise<void> => this.page.visit(this.address(path), OPERATOR.login, OPERATOR.password);

  async stop(): Promise<void> {
    await this.page.close();
    await this.#closeControl?.();
    await this.it.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

const PRODUCT = 'product';

function writeAll(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}
