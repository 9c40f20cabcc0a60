import { main } from '../lib/local/deploy/main.ts';

process.exitCode = await main(process.argv.slice(2));
