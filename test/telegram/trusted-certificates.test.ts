import { expect, it } from 'vitest';
import { trusting } from '../../src/telegram/trusted-certificates.ts';
import { forLoopback, forOther } from '../support/self-signed.ts';

it('makes the TLS context of a certificate once, and keeps those used last', () => {
  const first = trusting(forLoopback.certificate).secureContext;
  const other = trusting(forOther.certificate).secureContext;
  expect(other).not.toBe(first);
  expect(trusting(forLoopback.certificate).secureContext).toBe(first);
  for (let n = 1; n <= 31; n++) trusting(`${forOther.certificate}${'\n'.repeat(n)}`);
  expect(trusting(forLoopback.certificate).secureContext).toBe(first);
  expect(trusting(forOther.certificate).secureContext).not.toBe(other);
});
