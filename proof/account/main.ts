import { verifyAccount } from './command.ts';

process.exitCode = await verifyAccount(process.argv.slice(2));
