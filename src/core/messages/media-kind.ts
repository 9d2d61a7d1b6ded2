export interface MediaKind {
  contentType: string;
  /** True if a browser may show it in place: pictures, films and sounds, nothing that runs. */
  isInline: boolean;
}

const shown: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
};

const download = 'application/octet-stream';

/** Every content type that can be returned. */
export const mediaContentTypes: readonly string[] = [download, ...new Set(Object.values(shown))];

/** Decides by the name alone: neither the sender's claim nor the content is trusted. */
export function mediaKindOf(name: string): MediaKind {
  const extension = name.split('.').at(-1)?.toLowerCase() ?? '';
  const contentType = Object.hasOwn(shown, extension) ? shown[extension] : undefined;
  return contentType === undefined
    ? { contentType: download, isInline: false }
    : { contentType, isInline: true };
}
