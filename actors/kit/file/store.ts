/** What services that keep files need of storage. */
export type { BlobStore, BlobUpload } from '#storage/blob/port.ts';
