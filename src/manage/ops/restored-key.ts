/* After a restore: whether the next start can open what is sealed in the database, and if not, why. */
import { readWitnessIn } from '../../store/sqlite/database-file.ts';
import { createMasterKeyFile } from './master-key.ts';
import { type KeySettings, keyIdOf, opensWitness } from './secrets.ts';

export interface KeyCheck {
  opens: boolean;
  /** In words for the person who restored. */
  advice: string;
}

export function examineRestoredKey(databaseFile: string, settings: KeySettings): KeyCheck {
  const keyFile = createMasterKeyFile(settings.dataDir);
  const current = settings.secretKey || keyFile.current();
  const source = settings.secretKey === '' ? keyFile.file : 'RELAY_SECRET_KEY';
  const witness = readWitnessIn(databaseFile);
  if (witness === undefined) return { opens: true, advice: 'Nothing in it is encrypted yet.' };
  if (current === '') {
    return {
      opens: false,
      advice: `Its secrets cannot be opened yet: put the master key of that time at ${source}, or set RELAY_SECRET_KEY to it, before the start.`,
    };
  }
  if (opensWitness(witness, [current])) {
    return { opens: true, advice: `Its secrets open with ${source}.` };
  }
  if (opensWitness(witness, settings.previousSecretKeys)) {
    return {
      opens: true,
      advice: 'Its secrets open with RELAY_SECRET_KEY_PREVIOUS: leave that set for the next start.',
    };
  }
  const former = keyFile.formerFile(keyIdOf(witness) ?? '');
  return {
    opens: false,
    advice:
      former === ''
        ? `Its secrets do not open with ${source}: they need the master key of that time, named in RELAY_SECRET_KEY_PREVIOUS at the next start.`
        : `Its secrets need an earlier master key, which is kept in ${former}: start once with RELAY_SECRET_KEY_PREVIOUS_FILE=${former} bot-relay start`,
  };
}
