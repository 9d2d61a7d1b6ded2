/* Loaded before the command, this makes it run as if at a terminal, though it is connected by pipes. */
process.stdin.isTTY = true;
process.stdout.isTTY = true;
process.env['NO_COLOR'] = '1';
