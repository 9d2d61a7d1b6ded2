/*
 * Encrypts secrets at rest. A sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`,
 * AES-256-GCM, bound to the place it is stored in: moved to another row or column it does not open.
 * Look-ups use a keyed hash, so that the database alone does not let anyone test guesses.
 */
import { reason } from '../reasons/reason.ts';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { RelayError } from '../../errors.ts';

export interface Vault {
  readonly keyId: string;
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  /** The ID of the master key that a sealed text needs; undefined for a text that is not sealed. */
  keyIdOf(sealed: string): string | undefined;
  lookupHash(secret: string): string;
}

interface DerivedKeys {
  id: string;
  encryption: Buffer;
  lookup: KeyObject;
}

/** The first master key seals; the others only open what was sealed before a rotation. */
export function createVault(masterKeys: readonly string[]): Vault {
  const ring = masterKeys.map(derive);
  const current = ring[0];
  if (!current) throw new RelayError('bad_setting', reason('no_master_key'));

  return {
    keyId: current.id,
    seal(plain, context) {
      if (plain === '') return '';
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current.encryption, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([
        cipher.update(plain, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `v1.${current.id}.${nonce.toString('base64url')}.${body.toString('base64url')}`;
    },
    open(sealed, context) {
      if (sealed === '') return '';
      const [version, keyId, nonce, body] = sealed.split('.');
      const key = ring.find((candidate) => candidate.id === keyId);
      if (version !== 'v1' || !key || !nonce || !body) {
        throw new RelayError('secret_key_mismatch', reason('sealed_with_other_key'));
      }
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv(
        'aes-256-gcm',
        key.encryption,
        Buffer.from(nonce, 'base64url'),
      );
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString(
        'utf8',
      );
    },
    keyIdOf: (sealed) => (sealed.startsWith('v1.') ? sealed.split('.')[1] : undefined),
    lookupHash: (secret) => createHmac('sha256', current.lookup).update(secret).digest('base64url'),
  };
}

function derive(master: string): DerivedKeys {
  const key = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', master, 'bot-relay', purpose, 32));
  const encryption = key('encryption');
  return {
    id: createHash('sha256').update(encryption).digest('hex').slice(0, 8),
    encryption,
    // A KeyObject: hashing with it takes 4 µs, with a buffer 30 µs.
    lookup: createSecretKey(key('lookup')),
  };
}

/** API keys, session tokens and links are random enough that a plain hash of them tells nothing. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
