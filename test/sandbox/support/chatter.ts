// A process for tests to kill: its people talk without end, and each message contains its time.
import { createSandbox } from '../../../sandbox/src/sandbox.ts';

const sandbox = createSandbox();
await sandbox.persistTo(process.argv[2] ?? '');
const bot = sandbox.snapshot().bots[0] ?? sandbox.createBot({ username: 'patient_bot' });
const ann = sandbox.snapshot().users[0] ?? sandbox.createUser({ username: 'ann' });
setInterval(() => {
  for (let line = 0; line < 20; line++) sandbox.say(ann.id, bot.id, String(Date.now()));
  process.stdout.write('.');
}, 5);
