import { isIP } from 'node:net';
import type { WebhookInfo } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { readAllowedUpdates } from '../updates/kinds.ts';
import { dropExpired } from '../updates/queue.ts';
import { defined } from '../world/defined.ts';
import type { WebhookRecord } from '../world/bot-records.ts';
import { type Call, Described, type MethodTable, RawJson } from './call.ts';

async function getUpdates(call: Call): Promise<RawJson> {
  return new RawJson(await call.transport.getUpdates(call));
}

function checkedUrl(call: Call): URL {
  const given = call.params.text('url').trim();
  const address = /^[a-z]+:\/\//iu.test(given) ? given : `https://${given}`;
  if (!URL.canParse(address)) throw badRequest('bad webhook: Failed to parse URL');
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw badRequest('bad webhook: Unsupported URL protocol');
  }
  if (!call.strictWebhookUrls) return url;
  if (url.protocol !== 'https:')
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (!['', '80', '88', '443', '8443'].includes(url.port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
  return url;
}

function checkedSecret(call: Call): string | undefined {
  const secret = call.params.text('secret_token');
  if (secret.length > 256) throw badRequest('secret token is too long');
  if (!/^[A-Za-z0-9_-]*$/.test(secret))
    throw badRequest('secret token contains unallowed characters');
  return secret || undefined;
}

const sameSettings = (left: WebhookRecord, right: WebhookRecord): boolean =>
  left.url === right.url &&
  left.secretToken === right.secretToken &&
  left.maxConnections === right.maxConnections &&
  left.hasCustomCertificate === right.hasCustomCertificate;

function rememberAllowed(call: Call): boolean {
  if (!call.params.has('allowed_updates')) return false;
  const before = JSON.stringify(call.bot.allowedUpdates);
  const allowed = readAllowedUpdates(call.params.json('allowed_updates'));
  if (allowed) call.bot.allowedUpdates = allowed;
  else delete call.bot.allowedUpdates;
  return JSON.stringify(call.bot.allowedUpdates) !== before;
}

function setWebhook(call: Call): Described<true> {
  if (call.params.text('url').trim() === '') return deleteWebhook(call);
  const { bot } = call;
  const url = checkedUrl(call);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const webhook = defined<WebhookRecord>({
    url: url.href,
    secretToken: checkedSecret(call),
    maxConnections: call.params.integer('max_connections', 40, 1, 100),
    ipAddress: call.params.text('ip_address') || (isIP(host) ? host : undefined),
    hasCustomCertificate: call.params.upload('certificate') !== undefined,
    lastErrorDate: undefined,
    lastErrorMessage: undefined,
  });
  const allowedChanged = rememberAllowed(call);
  if (call.params.flag('drop_pending_updates')) bot.updates.clear();
  else if (bot.webhook && sameSettings(bot.webhook, webhook) && !allowedChanged) {
    return new Described(true, 'Webhook is already set');
  }
  bot.webhook = webhook;
  call.transport.stopPolling(bot, 'terminated by setWebhook request');
  call.transport.setWebhook(bot);
  return new Described(true, 'Webhook was set');
}

function deleteWebhook(call: Call): Described<true> {
  const { bot } = call;
  if (call.params.flag('drop_pending_updates')) bot.updates.clear();
  if (!bot.webhook) return new Described(true, 'Webhook is already deleted');
  call.transport.deleteWebhook(bot);
  delete bot.webhook;
  return new Described(true, 'Webhook was deleted');
}

function getWebhookInfo(call: Call): WebhookInfo {
  const { bot } = call;
  dropExpired(bot, call.world.now());
  return defined<WebhookInfo>({
    url: bot.webhook?.url ?? '',
    has_custom_certificate: bot.webhook?.hasCustomCertificate ?? false,
    pending_update_count: bot.updates.size,
    ip_address: bot.webhook?.ipAddress,
    last_error_date: bot.webhook?.lastErrorDate,
    last_error_message: bot.webhook?.lastErrorMessage,
    last_synchronization_error_date: undefined,
    max_connections: bot.webhook?.maxConnections,
    allowed_updates: bot.allowedUpdates,
  });
}

export const updateMethods: MethodTable = {
  getupdates: getUpdates,
  setwebhook: setWebhook,
  deletewebhook: deleteWebhook,
  getwebhookinfo: getWebhookInfo,
};
