/** What content needs of the archive for its assets. */
export type { BlobStore, NoteStore } from '#storage/blob/port.ts';
export { S3Failed } from '#storage/blob/s3.ts';
