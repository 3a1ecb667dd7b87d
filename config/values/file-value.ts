/** A file as a row holds it. Only an upload makes one, so that no JSON body can name the blob of another. */
export interface FileRecord {
  readonly name: string;
  readonly content_type: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex; finds the blob. */
  readonly sha256: string;
}

export class FileValue implements FileRecord {
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;

  constructor({ name, content_type, size, sha256 }: FileRecord) {
    this.name = name;
    this.content_type = content_type;
    this.size = size;
    this.sha256 = sha256;
  }

  /** As it is stored and shown. */
  static record(value: unknown): FileRecord | undefined {
    if (!(value instanceof FileValue)) return undefined;
    const { name, content_type, size, sha256 } = value;
    return { name, content_type, size, sha256 };
  }
}
