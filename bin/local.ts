import { main } from '../lib/local/main.ts';

process.exitCode = await main(process.argv.slice(2));
