/** What content needs of storage for its assets. */
export type { BlobStore, NoteStore, PartialFiles, PartialWriter } from '#storage/blob/port.ts';
export { S3Failed } from '#storage/blob/s3-fault.ts';
