import { reason } from '../../core/reasons/reason.ts';
import type { FileRef } from '../../core/messages/send-call.ts';
import { object } from '../../core/log/wire.ts';
import { RelayError } from '../../errors.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { PlatformRefused, PlatformUnreachable } from '../../telegram/errors.ts';
import type { FileParam } from '../../telegram/multipart.ts';

export interface Located {
  /** The paths of the files, by file ID. */
  paths: Map<string, string>;
  /** Files that the platform does not let a bot fetch. */
  tooLarge: Set<string>;
}

/** Asks for all paths before any file is opened, because most refusals happen here. */
export async function locateFiles(
  telegram: TelegramClient,
  token: string,
  refs: readonly FileRef[],
): Promise<Located> {
  const tooLarge = new Set<string>();
  const paths = new Map<string, string>();
  for (const ref of refs) {
    const path = await pathOf(telegram, token, ref);
    if (path === undefined) tooLarge.add(ref.$file.file_id);
    else paths.set(ref.$file.file_id, path);
  }
  return { paths, tooLarge };
}

/** Opens files of a bot, so that another one can upload them. If one fails, none stays open. */
export async function openFiles(
  telegram: TelegramClient,
  token: string,
  refs: readonly FileRef[],
  paths: ReadonlyMap<string, string>,
): Promise<Map<string, FileParam>> {
  const opened = new Map<string, FileParam>();
  const bodies: { destroy(): unknown }[] = [];
  try {
    for (const { $file } of refs) {
      // An album may show one file more than once.
      if (opened.has($file.file_id)) continue;
      const { status, body } = await telegram.getFileStream(token, paths.get($file.file_id) ?? '');
      bodies.push(body);
      if (status !== 200) {
        throw new PlatformUnreachable(
          'network',
          false,
          reason('file_not_fetched_status', { status }),
        );
      }
      opened.set($file.file_id, { file: body, name: $file.name });
    }
  } catch (error) {
    for (const body of bodies) body.destroy();
    throw error;
  }
  return opened;
}

async function pathOf(
  telegram: TelegramClient,
  token: string,
  ref: FileRef,
): Promise<string | undefined> {
  try {
    const file = object(await telegram.call(token, 'getFile', { file_id: ref.$file.file_id }));
    if (typeof file?.file_path === 'string') return file.file_path;
  } catch (error) {
    if (error instanceof PlatformRefused && error.refusal === 'too_large') {
      return undefined;
    }
    // Otherwise this looks like a refusal of the bot that sends.
    if (error instanceof PlatformRefused && error.kind === 'fatal') {
      throw new RelayError('platform_refused', reason('source_bot_refused'));
    }
    throw error;
  }
  throw new RelayError('platform_refused', reason('file_without_path'));
}
