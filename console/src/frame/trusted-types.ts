/** The page's one policy of Trusted Types. Libraries set `innerHTML` to style rules, which have no `<`; any other text makes no markup here, whatever it says. */
interface Policies {
  createPolicy(name: string, rules: Record<'createHTML' | 'createScriptURL', (text: string) => string>): unknown;
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };

trustedTypes?.createPolicy('default', {
  createHTML: (text) => {
    if (text.includes('<')) throw new TypeError('this page makes no markup of text');
    return text;
  },
  // A worker's script is a file of the build.
  createScriptURL: (url) => {
    if (!url.startsWith(`${location.origin}/console/assets/`))
      throw new TypeError('this page runs scripts of its build alone');
    return url;
  },
});
