/** `skep new <product>`: a product of one's own, with the platform file that runs it. Spec: docs/contract/platform.md §1.8. */
import { Argument, Option, type Command } from 'commander';
import { TEMPLATES, type Template } from './product-templates.ts';
import { guarded } from './operator-verb.ts';
import type { Terminal } from './terminal.ts';

/** Adds `new`. Its work is imported when it is asked for. */
export function addNew(program: Command, terminal: Terminal): void {
  program
    .command('new')
    .description('write a new product from a template, with a platform file that runs it; overwrites nothing')
    .addArgument(new Argument('<product>', 'its name: lower-case letters, digits, _ and -'))
    .addOption(new Option('--template <name>', 'what to begin with').choices(Object.keys(TEMPLATES)).default('minimal'))
    .option('--dir <directory>', 'the directory to make; by default one with the name of the product, here')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { template, dir }: { template: Template; dir?: string }) => {
      const { newProduct } = await import('./new-product.ts');
      terminal.out(await guarded(() => newProduct({ name, template, dir: dir ?? name })));
    });
}

const EXAMPLES = `
Templates:
${Object.entries(TEMPLATES)
  .map(([name, text]) => `  ${name.padEnd(14)}${text}`)
  .join('\n')}

Examples:
  skep new shop
  skep new desk --template help-desk
  skep new blog --template content-site --dir sites/blog
`;
