import { ApiFailure } from '../api-error.ts';
import { KNOWN_METHODS, METHOD_NAMES } from '../method-names.ts';
import { answerMethods } from './answers.ts';
import { businessMethods } from './business.ts';
import type { Call, Method, MethodTable } from './call.ts';
import { chatSettingMethods } from './chat-settings.ts';
import { chatMethods } from './chats.ts';
import { checklistMethods } from './checklists.ts';
import { copyingMethods } from './copying.ts';
import { deletingMethods } from './deleting.ts';
import { draftMethods } from './drafts.ts';
import { editingMethods } from './editing.ts';
import { ephemeralMethods } from './ephemeral.ts';
import { fileMethods } from './files.ts';
import { gameMethods } from './games.ts';
import { giftMethods } from './gifts.ts';
import { identityMethods } from './identity.ts';
import { inviteMethods } from './invites.ts';
import { invoiceMethods } from './invoices.ts';
import { joinQueryMethods } from './join-queries.ts';
import { mediaMethods } from './media.ts';
import { moderationMethods } from './moderation.ts';
import { otherContentMethods } from './other-content.ts';
import { paymentMethods } from './payments.ts';
import { pollMethods } from './polls.ts';
import { refuse } from './refusals.ts';
import { richMessageMethods } from './rich-messages.ts';
import { settingsMethods } from './settings.ts';
import { textMethods } from './text-messages.ts';
import { updateMethods } from './updates.ts';

const METHODS: MethodTable = {
  ...identityMethods,
  ...updateMethods,
  ...textMethods,
  ...mediaMethods,
  ...otherContentMethods,
  ...richMessageMethods,
  ...draftMethods,
  ...checklistMethods,
  ...gameMethods,
  ...invoiceMethods,
  ...paymentMethods,
  ...giftMethods,
  ...pollMethods,
  ...editingMethods,
  ...ephemeralMethods,
  ...deletingMethods,
  ...copyingMethods,
  ...answerMethods,
  ...businessMethods,
  ...chatMethods,
  ...chatSettingMethods,
  ...moderationMethods,
  ...inviteMethods,
  ...joinQueryMethods,
  ...fileMethods,
  ...settingsMethods,
};

const TABLE = new Map<string, Method>(Object.entries(METHODS));

/** Runs a method; names are case-insensitive. Throws ApiFailure. */
export function runMethod(call: Call): unknown {
  const name = call.method.toLowerCase();
  const { bot } = call;
  if (bot.loggedOutUntil !== undefined) {
    if (bot.loggedOutUntil > call.world.now()) throw new ApiFailure(400, 'Logged out');
    delete bot.loggedOutUntil;
  }
  const method = TABLE.get(name);
  if (method) return method(call);
  if (KNOWN_METHODS.has(name)) refuse(call, name);
  throw new ApiFailure(404, 'Not Found: method not found');
}

/** Methods of the Bot API that the sandbox refuses. */
export const UNSUPPORTED_METHODS: readonly string[] = METHOD_NAMES.filter(
  (name) => !TABLE.has(name.toLowerCase()),
);
