import { crc32, deflateSync } from 'node:zlib';

export interface PictureSize {
  width: number;
  height: number;
  mimeType: string;
}

/** Width and height of PNG, JPEG, GIF and WebP, or undefined for anything else. */
export function pictureSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), mimeType: 'image/png' };
  }
  if (bytes.length > 10 && bytes.toString('latin1', 0, 3) === 'GIF') {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), mimeType: 'image/gif' };
  }
  if (bytes.length > 30 && bytes.toString('latin1', 8, 12) === 'WEBP') return webpSize(bytes);
  if (bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes);
  return undefined;
}

function webpSize(bytes: Buffer): PictureSize | undefined {
  const mimeType = 'image/webp';
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1, mimeType };
  }
  if (chunk === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1, mimeType };
  }
  return {
    width: bytes.readUInt16LE(26) & 0x3fff,
    height: bytes.readUInt16LE(28) & 0x3fff,
    mimeType,
  };
}

function jpegSize(bytes: Buffer): PictureSize | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return {
        width: bytes.readUInt16BE(at + 7),
        height: bytes.readUInt16BE(at + 5),
        mimeType: 'image/jpeg',
      };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** Paints a picture for users without a camera: a soft two-colour gradient. */
export function paintPicture(width: number, height: number, hue: number): Buffer {
  const rows = Buffer.alloc(height * (width * 3 + 1));
  const channel = (shift: number, y: number): number =>
    Math.round(140 + 90 * Math.sin(((hue + shift) * Math.PI) / 180 + (y / height) * 1.5));
  for (let y = 0; y < height; y++) {
    const start = y * (width * 3 + 1) + 1;
    const colour = Buffer.from([channel(0, y), channel(120, y), channel(240, y)]);
    rows.fill(colour, start, start + width * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows, { level: 3 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
