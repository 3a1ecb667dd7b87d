/** Width and height of an image, from its first bytes: PNG (ISO 15948 §11.2.2), GIF89a §18, JPEG (ITU T.81 B.2.2). */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** In pixels; null for another format, or when the size is not in the first bytes. */
export function imageSize(type: string, head: Buffer): ImageSize | null {
  if (type === 'image/png' && head.length >= 24) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (type === 'image/gif' && head.length >= 10) return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  return type === 'image/jpeg' ? jpegSize(head) : null;
}

/** Walks the segments to the frame header: SOF0 to SOF15, without DHT, JPG and DAC. */
function jpegSize(head: Buffer): ImageSize | null {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; at += 2 + head.readUInt16BE(at + 2)) {
    const marker = head[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
  }
  return null;
}
