import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from './keys.ts';

/** The work that one guess costs: memory is 128 · blockSize · cost bytes, time grows with each. */
export interface ScryptCost {
  cost: number;
  blockSize: number;
  parallelization: number;
}

export const defaultScryptCost: ScryptCost = { cost: 2 ** 15, blockSize: 8, parallelization: 3 };

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash it takes as long as with one, and fails, so that timing tells nothing. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/** Hashes carry their own cost, so that a later default does not lock anyone out. */
export function createPasswords(
  cost: ScryptCost = defaultScryptCost,
  random: RandomBytes = randomBytes,
): Passwords {
  const write = (salt: Buffer, key: Buffer) =>
    [
      'scrypt',
      cost.cost,
      cost.blockSize,
      cost.parallelization,
      salt.toString('base64url'),
      key.toString('base64url'),
    ].join('$');
  const nobody = write(random(16), random(32));

  return {
    async hash(password) {
      const salt = random(16);
      return write(salt, await derive(password, salt, cost));
    },
    async verify(password, hash) {
      const [, n, r, p, salt, key] = (hash || nobody).split('$');
      const expected = Buffer.from(key ?? '', 'base64url');
      const actual = await derive(password, Buffer.from(salt ?? '', 'base64url'), {
        cost: Number(n),
        blockSize: Number(r),
        parallelization: Number(p),
      });
      return expected.length === actual.length && timingSafeEqual(expected, actual);
    },
  };
}

function derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  const options = { ...cost, maxmem: 2 ** 20 + 256 * cost.cost * cost.blockSize };
  return new Promise((resolve, reject) => {
    // The same letters typed on another keyboard may arrive composed differently.
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
