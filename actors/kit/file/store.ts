/** What services that keep files need of the archive. */
export type { BlobStore, BlobUpload } from '#storage/blob/port.ts';
