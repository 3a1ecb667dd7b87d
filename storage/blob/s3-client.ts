/** The client of an S3-speaking store, loaded when it is wanted first. */
import type { S3mini } from 's3mini';

export interface S3Login {
  /** `http(s)://host:port/bucket`. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** `by`: what sends its requests. */
export async function s3Client(
  { endpoint, region, accessKey, secretKey }: S3Login,
  by: typeof fetch = fetch,
): Promise<S3mini> {
  const { S3mini: Client } = await import('s3mini');
  return new Client({ endpoint, region, accessKeyId: accessKey, secretAccessKey: secretKey, fetch: by });
}
