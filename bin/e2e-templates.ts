import { main } from '../shop/templates/main.ts';

process.exitCode = await main(process.argv.slice(2));
