import { useState } from 'react';
import type { NewBroadcast } from '../../api/broadcasts.ts';
import { sendMedia } from '../../api/messages.ts';

type MediaType = NonNullable<NewBroadcast['type']>;

interface Media {
  type: MediaType;
  file_id: string;
}

interface Message {
  botId: number;
  text: string;
  /** The chat that gets the file first. */
  uploadTo: number;
}

/** Sends the file to the person's own chat, once, so that all others get it by its ID. */
export function useUpload() {
  const [last, setLast] = useState<{ file: File; botId: number; media: Media }>();
  return async ({ botId, text, uploadTo }: Message, file: File): Promise<Media> => {
    if (last?.file === file && last.botId === botId) return last.media;
    const to = { bot_id: botId, chat_id: uploadTo, caption: text, format: 'markdown' } as const;
    const { signal } = new AbortController();
    const sent = await sendMedia(to, file, { signal, onProgress() {} });
    const media = { type: sent.media_type as MediaType, file_id: sent.file_id ?? '' };
    setLast({ file, botId, media });
    return media;
  };
}
