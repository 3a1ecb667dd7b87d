/** A cache between callers and a gateway, as RFC 9111 allows one: it keeps what is public and fresh, under the URL and what `Vary` names (§4.1). */
export class SharedCache {
  readonly #kept = new Map<
    string,
    { readonly vary: readonly string[]; readonly asked: Headers; readonly text: string }[]
  >();
  hits = 0;

  async get(url: string, headers: Readonly<Record<string, string>>): Promise<{ status: number; text: string }> {
    const asked = new Headers(headers);
    const known = this.#kept.get(url)?.find(({ vary, asked: before }) => vary.every((name) => before.get(name) === asked.get(name))); // prettier-ignore
    if (known !== undefined) {
      this.hits++;
      return { status: 200, text: known.text };
    }
    const answer = await fetch(url, { headers });
    const text = await answer.text();
    if (answer.status === 200 && /public.*max-age=[1-9]/.test(answer.headers.get('cache-control') ?? '')) {
      const vary = (answer.headers.get('vary') ?? '').split(',').flatMap((name) => name.trim() || []);
      this.#kept.set(url, [...(this.#kept.get(url) ?? []), { vary, asked, text }]);
    }
    return { status: answer.status, text };
  }
}
