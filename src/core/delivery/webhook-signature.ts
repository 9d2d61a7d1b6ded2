import { createHmac } from 'node:crypto';

/**
 * Makes headers according to the Standard Webhooks specification. The signing key is the bytes of
 * the bot's `secret_token` as they are, so a library of that specification takes the secret
 * `whsec_` + base64(secret_token). The signed text is `<id>.<timestamp>.<body>`.
 */
export function webhookSignature(
  secretToken: string | Buffer,
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  const hmac = createHmac('sha256', secretToken);
  hmac.update(`${id}.${timestampSeconds}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

/** An update has the same ID however often it is delivered: receivers use it to drop repeats. */
export function webhookId(botId: number, position: number): string {
  return `upd_${botId}_${position}`;
}

const secretPrefix = 'whsec_';

/** Makes a secret of the specification; `webhookKey` returns the key within one. */
export const newWebhookSecret = (bytes: Buffer): string => secretPrefix + bytes.toString('base64');
export const webhookKey = (secret: string): Buffer =>
  Buffer.from(secret.slice(secretPrefix.length), 'base64');
