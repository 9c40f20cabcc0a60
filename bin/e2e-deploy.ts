import { main } from '../shop/deploy/main.ts';

process.exitCode = await main(process.argv.slice(2));
