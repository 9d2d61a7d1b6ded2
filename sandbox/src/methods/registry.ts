import { ApiFailure } from '../api-error.ts';
import { knownMethods, methodNames } from '../method-names.ts';
import { answerMethods } from './answers.ts';
import { businessMethods } from './business/business.ts';
import type { Call, Method, MethodTable } from './call.ts';
import { chatSettingMethods } from './chats/chat-settings.ts';
import { chatMethods } from './chats/chats.ts';
import { checklistMethods } from './messages/checklists.ts';
import { copyingMethods } from './messages/copying.ts';
import { deletingMethods } from './messages/deleting.ts';
import { draftMethods } from './messages/drafts.ts';
import { editingMethods } from './messages/editing.ts';
import { ephemeralMethods } from './messages/ephemeral.ts';
import { fileMethods } from './files.ts';
import { gameMethods } from './messages/games.ts';
import { giftMethods } from './payments/gifts.ts';
import { identityMethods } from './identity.ts';
import { inviteMethods } from './chats/invites.ts';
import { invoiceMethods } from './payments/invoices.ts';
import { joinQueryMethods } from './chats/join-queries.ts';
import { mediaMethods } from './messages/media.ts';
import { moderationMethods } from './chats/moderation.ts';
import { otherContentMethods } from './messages/other-content.ts';
import { paymentMethods } from './payments/payments.ts';
import { pollMethods } from './messages/polls.ts';
import { refuseCall } from './refusals.ts';
import { richMessageMethods } from './messages/rich-messages.ts';
import { settingsMethods } from './settings.ts';
import { topicMethods } from './chats/topics.ts';
import { textMethods } from './messages/text-messages.ts';
import { updateMethods } from './updates.ts';

const methods: MethodTable = {
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
  ...topicMethods,
  ...fileMethods,
  ...settingsMethods,
};

const table = new Map<string, Method>(Object.entries(methods));

/** Runs a method; names are case-insensitive. Throws ApiFailure. */
export function runMethod(call: Call): unknown {
  const name = call.method.toLowerCase();
  const { bot } = call;
  if (bot.loggedOutUntil !== undefined) {
    if (bot.loggedOutUntil > call.world.now()) throw new ApiFailure(400, 'Logged out');
    delete bot.loggedOutUntil;
  }
  const method = table.get(name);
  if (method) return method(call);
  if (knownMethods.has(name)) refuseCall(call, name);
  throw new ApiFailure(404, 'Not Found: method not found');
}

/** Methods of the Bot API that the sandbox refuses. */
export const unsupportedMethods: readonly string[] = methodNames.filter(
  (name) => !table.has(name.toLowerCase()),
);
