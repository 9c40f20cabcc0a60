import { main } from '../shop/main.ts';

process.exitCode = await main(process.argv.slice(2));
