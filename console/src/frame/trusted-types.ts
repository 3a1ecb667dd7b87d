/** The page's one policy of Trusted Types. Libraries set `innerHTML` to style rules, which have no `<`; any other text makes no markup here, whatever it says. */
interface Policies {
  createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };

trustedTypes?.createPolicy('default', {
  createHTML: (text) => {
    if (text.includes('<')) throw new TypeError('this page makes no markup of text');
    return text;
  },
});
