/** `skep mail preview`: the mails of a product as its users would get them, without a node. */
import { Option, type Command } from 'commander';
import type { PreviewOptions } from './mail-preview.ts';
import type { Terminal } from './terminal.ts';

export function addMail(program: Command, terminal: Terminal): void {
  const mail = program.command('mail').description('the mails that a product sends').enablePositionalOptions();
  mail
    .command('preview')
    .description('print a mail of a product with invented values, in its own words or the built-in ones')
    .argument('<product>', 'the directory of the product, where product.yaml is')
    .argument('[kind]', 'the kind of mail; without it, all of them')
    .option('--language <tag>', 'the language, as a browser would ask for it; by default the product’s')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'html', 'json']).default('text'))
    .option('--to <directory>', 'write <kind>.<language>.html and .txt there instead of printing')
    .addHelpText('after', EXAMPLES)
    .action(async (product: string, kind: string | undefined, options: PreviewOptions) => {
      const { previewMails } = await import('./mail-preview.ts');
      terminal.out(previewMails(product, kind, options));
    });
}

const EXAMPLES = `
Examples:
  skep mail preview ./shop
  skep mail preview ./shop reset --language de -o html > reset.html
  skep mail preview ./shop --to previews
`;
