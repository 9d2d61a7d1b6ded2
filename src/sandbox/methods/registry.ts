import { ApiFailure, badRequest } from '../api-error.ts';
import { KNOWN_METHODS } from '../method-names.ts';
import type { Call, MethodTable } from './call.ts';
import { identityMethods } from './identity.ts';
import { textMethods } from './text-messages.ts';
import { updateMethods } from './updates.ts';

const METHODS: MethodTable = {
  ...identityMethods,
  ...updateMethods,
  ...textMethods,
};

const TABLE = new Map(Object.entries(METHODS));

/** Runs a method; names are case-insensitive. Throws ApiFailure. */
export function runMethod(call: Call): unknown {
  const name = call.method.toLowerCase();
  const method = TABLE.get(name);
  if (method) return method(call);
  if (KNOWN_METHODS.has(name)) {
    throw badRequest(`method ${call.method} is not supported by the sandbox`);
  }
  throw new ApiFailure(404, 'Not Found: method not found');
}

export const isImplemented = (name: string): boolean => TABLE.has(name.toLowerCase());
