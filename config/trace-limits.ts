/** Numbers of traces. docs/contract/platform.md §4.1. */
export const traceLimits = {
  traces: {
    /** Spans of one request on one thread, besides those of its turn; further ones are left out and counted in its span. */
    requestSpansMax: 128,
    /** Characters of a name and of a text in an attribute. */
    textCharsMax: 256,
    /** A thread hands its spans over when it has so many, or after this time. */
    handOverSpans: 128,
    handOverMs: 250,
    /** Batches of spans on their way from main to the courier; the next one is dropped and counted. */
    handedOverMax: 64,
    /** Spans that the courier holds; the newest are dropped and counted. Each has some 500 bytes. */
    queueSpansMax: 8192,
    /** Spans of one request to the collector, and how long the courier gathers them. */
    exportSpansMax: 512,
    exportEveryMs: 1000,
    exportDeadlineMs: 10_000,
    answerBytesMax: 64 * 1024,
    /** Attempts for one batch; between them this long, then doubled, with a jitter. Retry-After of the collector counts up to its own bound. */
    attemptsMax: 5,
    backoffMs: 1000,
    backoffMsMax: 30_000,
    retryAfterMsMax: 60_000,
    headersMax: 16,
    headerCharsMax: 8192,
    /** W3C Trace Context §3.3.1.5 asks for at least 512. */
    tracestateCharsMax: 512,
  },
} as const;
