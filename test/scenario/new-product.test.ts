/** `skep new`: each template is a product that is checked, served and used by the commands that the verb prints and its README has. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadPlatform } from '#config/load.ts';
import { checkProducts } from '#runtime/cli/check-products.ts';
import { filesOf, nextCommands } from '#runtime/cli/new-product.ts';
import { TEMPLATES, type Template } from '#runtime/cli/product-templates.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { ownFolder, root } from '#test/kit/demo-process.ts';
import { blocksOf, unmarked, type Block } from '#test/kit/page-commands.ts';
import { runCommands } from '#test/kit/page-run.ts';
import { isLongRun } from '#test/kit/rounds.ts';

const templates = Object.keys(TEMPLATES) as Template[];
const readmeOf = (template: Template): string =>
  readFileSync(join(root, 'config/samples/templates', template, 'README.md'), 'utf8');

test('each folder of templates is offered', () => {
  expect(readdirSync(join(root, 'config/samples/templates')).sort()).toEqual([...templates].sort());
});

describe.each(templates)('the template %s', (template) => {
  test('is a product without a problem under any name that a product may have, also one that YAML would read as a number', async () => {
    for (const name of ['shop', '007', 'true', '1e3', 'a_b-c']) {
      const dir = join(ownFolder(), 'made');
      expect((await skep(`new ${name} --template ${template} --dir ${dir}`)).code).toBe(0);
      const loaded = loadPlatform(join(dir, 'platform.yaml'), { env: {} });
      if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
      expect(loaded.platform.hives.tenant.map(({ key }) => key)).toEqual([`acme:${name}:dev:main`]);
      expect(await checkProducts(loaded.platform)).toEqual({ tenants: 1, checkouts: 1, problems: 0 });
    }
  });

  test('its README says of every command how it is run', () => {
    expect(unmarked(readmeOf(template))).toEqual([]);
    expect(blocksOf(readmeOf(template)).map(({ how }) => how)).toContain('serve');
  });

  test('names the product nowhere but through its placeholder, and each file that its README names is there', async () => {
    const made = await filesOf(template, 'shop');
    const files = made.map(({ path }) => path);
    const named = [...readmeOf(template).matchAll(/^\| `([\w./-]+)`/gm)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(3);
    const isThere = (path: string): boolean => files.some((file) => file === path || file.startsWith(path));
    expect(named.filter((path) => path !== 'data/' && !isThere(path))).toEqual([]);
    expect(made.filter(({ text }) => text.includes('my-product'))).toEqual([]);
    expect(files).toContain('.gitignore');
  });

  test('what it has switched off is right, too, once the `#` is taken away', async () => {
    const dir = ownFolder();
    let uncommented = 0;
    for (const { path, text } of await filesOf(template, 'shop')) {
      const open = text.replaceAll(
        /^# ?((?:webhooks|preview):|  - name:|    (?:url|secret):)/gm,
        (_all, line: string) => {
          uncommented++;
          return line;
        },
      );
      mkdirSync(join(dir, dirname(path)), { recursive: true });
      writeFileSync(join(dir, path), open);
    }
    expect(uncommented).toBe({ minimal: 0, 'help-desk': 0, 'content-site': 5 }[template]);
    for (const name of ['SITE_PREVIEW_SECRET', 'SITE_WEBHOOK_SECRET']) vi.stubEnv(name, 'a secret of two');
    onTestFinished(() => void vi.unstubAllEnvs());
    const loaded = loadPlatform(join(dir, 'platform.yaml'), { env: {} });
    if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
    expect(await checkProducts(loaded.platform)).toEqual({ tenants: 1, checkouts: 1, problems: 0 });
    vi.unstubAllEnvs();
    if (uncommented > 0) await expect(checkProducts(loaded.platform)).rejects.toThrow('SECRET');
  });

  // `npm test` types them for one template, `npm run test:ci` for each.
  test.runIf(isLongRun || template === 'minimal')(
    'the commands that are printed work as printed',
    { timeout: 180_000 },
    async () => {
      const typed = nextCommands('shop', "it's mine/shop");
      const printed: Block = {
        how: 'run',
        text: `skep new shop --template ${template} --dir "it's mine/shop"\n`,
        expected: ['Wrote … files of the template …', 'Next:', ...typed.map((command) => `  ${command}`)],
      };
      const [check, provision, serve] = typed;
      await runCommands(
        [
          printed,
          { how: 'run', text: `${check}\n`, expected: ['tenants    1', 'checkouts  1', 'problems   0'] },
          {
            how: 'run',
            text: `${provision}\n`,
            expected: ['…', 'admin         admin@example.org (seeded)', 'password      …'],
          },
          { how: 'serve', text: `${serve}\n`, expected: null },
          { how: 'run', text: 'curl -s http://127.0.0.1:9098/readyz', expected: ['…'] },
        ],
        (folder) => mkdirSync(join(folder, "it's mine")),
      );
    },
  );

  test('the commands of its README work as printed', { timeout: 180_000 }, async () => {
    const files = await filesOf(template, 'my-product');
    await runCommands(blocksOf(readmeOf(template)), (folder) => {
      for (const { path, text } of files) {
        mkdirSync(join(folder, dirname(path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
    });
  });
});
