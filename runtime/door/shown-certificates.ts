/** How long the certificates last that the listeners show, as metrics: of all of them, wherever they come from. */
import type { MetricFamily } from '#runtime/observe/exposition.ts';
import type { DoorTls } from './port.ts';
import { readTlsPairs, type TlsPair } from './tls-pair.ts';

type Life = 'notBeforeMs' | 'notAfterMs';

export class ShownCertificates {
  readonly #byListener = new Map<string, readonly TlsPair[]>();

  /** Looks again at what a listener shows since it opened, or read its files. Files that cannot be read leave what was known. */
  async look(listener: string, tls: DoorTls | undefined): Promise<void> {
    if (tls === undefined) return;
    const pairs = await readTlsPairs(tls).catch(() => null);
    if (pairs !== null) this.#byListener.set(listener, [pairs.first, ...pairs.others]);
  }

  families(): MetricFamily[] {
    return [
      this.#family(
        'skep_certificate_not_before_timestamp_seconds',
        'When a certificate that a listener shows began to be valid.',
        'notBeforeMs',
      ),
      this.#family(
        'skep_certificate_not_after_timestamp_seconds',
        'When a certificate that a listener shows ends.',
        'notAfterMs',
      ),
    ];
  }

  /** Of two certificates of one listener with the same name the first is shown. */
  #family(name: string, help: string, life: Life): MetricFamily {
    const samples = [...this.#byListener].flatMap(([listener, pairs]) => {
      const byName = new Map(pairs.toReversed().map((pair) => [nameOf(pair), pair[life] / 1000]));
      return [...byName].map(([certificate, value]) => ({ labels: { listener, certificate }, value }));
    });
    return { name, type: 'gauge', help, samples };
  }
}

const nameOf = ({ names, news }: TlsPair): string => names[0] ?? news.subject;
