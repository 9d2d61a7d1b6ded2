import type { EntryKind, FileEntry } from '../../core/config-file/document.ts';
import type { ConfigKind, KindOfEntry, Stored } from './config-kind.ts';
import { appKind } from './kinds/app.ts';
import { botKind } from './kinds/bot.ts';
import { channelKind } from './kinds/channel.ts';
import { deskKind } from './kinds/desk.ts';
import { keyKind } from './kinds/key.ts';
import { modelKind } from './kinds/model.ts';
import { replyKind } from './kinds/reply.ts';
import { routeKind } from './kinds/route.ts';
import { userKind } from './kinds/user.ts';

export const configKinds: { readonly [Kind in EntryKind]: ConfigKind<Kind> } = {
  bot: botKind,
  app: appKind,
  route: routeKind,
  desk: deskKind,
  reply: replyKind,
  model: modelKind,
  user: userKind,
  key: keyKind,
  channel: channelKind,
};

export function kindOf({ kind }: { kind: EntryKind }): KindOfEntry<FileEntry, Stored[EntryKind]> {
  return configKinds[kind];
}
